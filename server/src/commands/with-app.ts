import { type App, createApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { findRunningDatabase } from '../platform/db/embedded/embedded.ts';

/**
 * Runs a command with the service's own parts and settings, serving nothing. If a server runs on the data directory,
 * the command shares its embedded database; otherwise it starts the database for its own duration.
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
