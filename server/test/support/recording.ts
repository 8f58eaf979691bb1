import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** A logger that collects its lines. */
export function recording(lines: Record<string, unknown>[]): Logger {
  return pino(
    { level: 'error' },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    }),
  );
}
