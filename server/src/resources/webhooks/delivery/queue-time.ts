/** Time as the delivery engine's own loop lives in it; the simulator has another one. */
export interface QueueTime {
  /** Milliseconds since some moment, never going back. */
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
