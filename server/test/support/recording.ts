import { Writable } from 'node:stream';
import { type Level, type Logger, pino } from 'pino';

/** A logger that collects its lines of this level or higher. */
export function recording(lines: Record<string, unknown>[], level: Level = 'error'): Logger {
  return pino(
    { level },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    }),
  );
}
