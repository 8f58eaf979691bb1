export type Alarm = ReturnType<typeof createAlarm>;

/** Waits for a time, or until it is rung. A ring during the previous run counts. */
export function createAlarm(signal: AbortSignal) {
  let rung = false;
  let wakeUp: (() => void) | undefined;
  const ring = () => {
    rung = true;
    wakeUp?.();
  };
  signal.addEventListener('abort', ring, { once: true });
  return {
    ring,
    reset() {
      rung = signal.aborted;
    },
    async wait(ms: number): Promise<void> {
      if (rung || signal.aborted) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      wakeUp = undefined;
    },
  };
}
