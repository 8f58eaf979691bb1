import { type App, createApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { findRunningDatabase } from '../platform/db/embedded/embedded.ts';

/**
 * Runs a command on the service's own parts, with its settings, serving nothing. Where a server runs on the data
 * directory, the command shares its embedded database; otherwise it starts the database for as long as it runs.
 */
export async function withApp(command: (app: App) => Promise<void>): Promise<void> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env });
  const running = config.databaseUrl ? undefined : await findRunningDatabase(config.dataDir);
  const app = await createApp(running ? { ...config, databaseUrl: running } : config);
  try {
    await command(app);
  } finally {
    await app.close();
  }
}
