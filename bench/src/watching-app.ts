import { RECEIVE_NETWORKS } from '@quittance/contract';
import { pino } from 'pino';
import { type App, createApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import type { Context } from '../../server/src/context.ts';
import type { Bench } from './bench.ts';

/** The service in this process, which watches the networks of these settings only. */
export function createWatchingApp(
  database: Bench['database'],
  networks: Record<string, string>,
  given: Partial<Context> = {},
): Promise<App> {
  return createApp(
    readConfig({
      PROFILE: 'development',
      PORT: '0',
      DATA_DIR: database.dataDir,
      DATABASE_URL: database.url,
      LOG_LEVEL: 'silent',
      PRICES: 'fixed',
      ROUTES: 'none',
      ...Object.fromEntries(RECEIVE_NETWORKS.map((network) => [`RPC_${network.toUpperCase()}_URLS`, ','])),
      ...networks,
    }),
    { log: pino({ level: 'silent' }), ...given },
  );
}
