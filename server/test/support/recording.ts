import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** A log whose lines can be looked at. */
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
