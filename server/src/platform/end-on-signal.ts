/** One Ctrl-C arrives several times: a terminal signals the whole group, and npm and the launcher pass it on. */
const SAME_SIGNAL_MS = 1_000;
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Ends this process when it is interrupted or terminated, or when its terminal is closed. The first signal begins the
 * orderly stop, if there is one to begin; a later one ends the process at once. Either way `exit` is emitted, so that
 * what this process has started ends with it, which the signal alone would not do.
 */
export function endOnSignal(stop: () => Promise<void> | undefined = () => undefined): void {
  let stoppingSince: number | undefined;
  for (const [signal, code] of Object.entries(EXIT_CODES)) {
    process.on(signal, () => {
      if (stoppingSince !== undefined) {
        if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(code);
        return;
      }
      const stopped = stop();
      if (!stopped) process.exit(code);
      stoppingSince = performance.now();
      void stopped.then(() => process.exit(0));
    });
  }
}
