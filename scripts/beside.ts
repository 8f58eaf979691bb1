import { type App, createApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/config.ts';
import { findRunningDatabase } from '../server/src/platform/db/embedded/embedded.ts';
import { ApiError, CannotStart, TemporaryFailure } from '../server/src/platform/errors.ts';

/**
 * Runs an operator's command on the service's own parts, with its settings and no door open. Where a server runs on the
 * data directory, its embedded database is used beside it; where none does, it is started for the command alone.
 */
export async function beside(command: (app: App) => Promise<void>): Promise<void> {
  try {
    const config = readConfig({ LOG_LEVEL: 'warn', ...process.env });
    const running = config.databaseUrl ? undefined : await findRunningDatabase(config.dataDir);
    const app = await createApp(running ? { ...config, databaseUrl: running } : config);
    try {
      await command(app);
    } finally {
      await app.close();
    }
  } catch (error) {
    // What can be mended by whoever reads it is told in a sentence.
    if (!(error instanceof CannotStart) && !(error instanceof ApiError) && !(error instanceof TemporaryFailure))
      throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/**
 * A command line's words by name: those that stand by themselves in order, then its options, which may as well stand by
 * themselves. npm keeps `--from` for itself where the `--` before it was left out, and hands on the rest.
 */
export function words(...names: string[]): Record<string, string | undefined> {
  const given = process.argv.slice(2);
  const alone: string[] = [];
  const found: Record<string, string | undefined> = {};
  for (let at = 0; at < given.length; at += 1) {
    const [, name, inline] = /^--([a-z]+)(?:=(.*))?$/s.exec(given[at] ?? '') ?? [];
    if (name !== undefined && names.includes(name)) found[name] = inline ?? given[(at += 1)] ?? '';
    else alone.push(given[at] ?? '');
  }
  for (const name of names) found[name] ??= keptByNpm(name) ?? alone.shift();
  return { ...found, rest: alone[0] };
}

function keptByNpm(name: string): string | undefined {
  const value = process.env[`npm_config_${name}`];
  return value === 'true' ? undefined : value || undefined;
}
