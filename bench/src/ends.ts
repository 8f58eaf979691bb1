/** Ends this process on SIGTERM, and when the bench that started it is gone, which an interrupted one may be first. */
export function endWithBench(close: () => Promise<unknown> = async () => {}): void {
  const end = () => void close().finally(() => process.exit(0));
  if (process.connected === false) return end();
  process.once('SIGTERM', end).once('disconnect', end);
}
