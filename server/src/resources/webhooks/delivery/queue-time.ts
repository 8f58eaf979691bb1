/** The clock of the delivery engine; the simulator has its own. */
export interface QueueTime {
  /** Milliseconds of a monotonic clock. */
  mono(): number;
  every(ms: number, run: () => void): { stop(): void };
  pause(ms: number): Promise<void>;
}

export const REAL_TIME: QueueTime = {
  mono: () => performance.now(),
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return { stop: () => clearInterval(timer) };
  },
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
