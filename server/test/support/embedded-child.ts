import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../src/platform/db/embedded/embedded.ts';

// A process that owns an embedded database, for tests that kill it. Its first line is the address or the error.
try {
  const database = await startEmbeddedDatabase({ dataDir: process.argv[2] as string, log: pino({ level: 'silent' }) });
  process.stdout.write(`${JSON.stringify({ url: database.url })}\n`);
  process.on('SIGTERM', () => void database.stop());
} catch (error) {
  process.stdout.write(`${JSON.stringify({ refused: (error as Error).message })}\n`);
  process.exitCode = 1;
}
