import { parseArgs } from 'node:util';
import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import { type Config, readConfig } from '../config.ts';
import { createChains } from '../outside/chains/registry.ts';
import { checkSmtp } from '../outside/mail/smtp.ts';
import { findRunningDatabase, startEmbeddedDatabase } from '../platform/db/embedded/embedded.ts';
import { planMigrations } from '../platform/db/migrate.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { refuseSharedSessions, refuseUnfitPooler } from '../platform/db/pooler.ts';
import { StartupError } from '../platform/errors.ts';
import { createLogger } from '../platform/log.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/time.ts';
import { findServer } from './doctor-store.ts';

/** One line of the report. A warning does not make the command fail, a failure does. */
interface Finding {
  state: 'ok' | 'warning' | 'failed';
  subject: string;
  details: string;
}

/** Signatures, sessions and prices depend on the time; a larger difference makes them wrong. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * SECOND_MS;
/** The newest block of a live network is younger than this. */
const MAX_HEAD_AGE_MS = 5 * MINUTE_MS;

/** `quittance-server doctor`: checks everything that the service depends on and says what to do. Changes nothing. */
export async function run(args: string[]): Promise<void> {
  parseArgs({ args, options: {} });
  // An exception reports all invalid settings at once.
  const config = readConfig();
  let failed = 0;
  const checks = [
    async () => checkSettings(config),
    () => checkDatabase(config),
    ...RECEIVE_NETWORKS.map((network) => () => checkNetwork(config, network)),
    () => checkMail(config),
  ];
  for (const check of checks) {
    for (const { state, subject, details } of await check()) {
      failed += Number(state === 'failed');
      console.log(`${state.padEnd(7)}  ${subject.padEnd(24)}  ${details}`);
    }
  }
  if (failed > 0) throw new StartupError(`${failed === 1 ? 'One check' : `${failed} checks`} failed.`);
}

function checkSettings(config: Config): Finding[] {
  const findings: Finding[] = [
    { state: 'ok', subject: 'settings', details: `profile ${config.profile}, role ${config.role}` },
  ];
  if (config.profile === 'production' && !config.publicUrl.startsWith('https://'))
    findings.push({
      state: 'warning',
      subject: 'PUBLIC_URL',
      details: `${config.publicUrl} is not https: wallets refuse such pages, and cookies travel in the clear`,
    });
  if (config.profile === 'production' && !config.databaseUrl)
    findings.push({
      state: 'warning',
      subject: 'DATABASE_URL',
      details: 'not set: the embedded database is used, which one process serves. Back up its data directory.',
    });
  return findings;
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  const subject = 'database';
  const log = createLogger('silent');
  try {
    const running = config.databaseUrl ? undefined : await findRunningDatabase(config.dataDir);
    const embedded =
      config.databaseUrl || running ? undefined : await startEmbeddedDatabase({ dataDir: config.dataDir, log });
    const url = config.databaseUrl ?? running ?? embedded?.url ?? '';
    try {
      const pending = await planMigrations(config.databaseDirectUrl ?? url);
      if (config.databaseUrl) {
        await refuseSharedSessions(config.databaseDirectUrl ?? url);
        await refuseUnfitPooler(url);
      }
      const db = openDatabase({ url, directUrl: config.databaseDirectUrl, log });
      try {
        return [
          ...(await checkServer(db)),
          pending.length === 0
            ? { state: 'ok', subject: 'schema', details: 'up to date' }
            : { state: 'warning', subject: 'schema', details: `${pending.length} to apply: quittance-server migrate` },
        ];
      } finally {
        await db.close();
      }
    } finally {
      await embedded?.stop();
    }
  } catch (error) {
    return [{ state: 'failed', subject, details: (error as Error).message }];
  }
}

async function checkServer(db: ReturnType<typeof openDatabase>): Promise<Finding[]> {
  const askedAt = Date.now();
  const row = await findServer(db);
  if (!row) return [{ state: 'failed', subject: 'database', details: 'answered nothing' }];
  const middle = (askedAt + Date.now()) / 2;
  const differenceMs = Math.abs(row.clock.getTime() - middle);
  return [
    row.readOnly === 'on'
      ? {
          state: 'failed',
          subject: 'database',
          details: 'accepts no writes: it is a standby or set read-only. Point DATABASE_URL at the primary.',
        }
      : { state: 'ok', subject: 'database', details: `PostgreSQL ${row.version}` },
    differenceMs > MAX_CLOCK_DIFFERENCE_MS
      ? {
          state: 'failed',
          subject: 'clock',
          details: `differs from the database by ${Math.round(differenceMs / SECOND_MS)} s: synchronize both (NTP)`,
        }
      : { state: 'ok', subject: 'clock', details: `within ${Math.round(differenceMs)} ms of the database` },
  ];
}

/** Each RPC provider alone, by the service's own adapter: verifies its chain id, then shows its newest block. */
async function checkNetwork(config: Config, network: ReceiveNetwork): Promise<Finding[]> {
  const { rpcUrls } = config.networks[network];
  if (rpcUrls.length === 0) return [{ state: 'ok', subject: network, details: 'switched off' }];
  const findings = await Promise.all(rpcUrls.map((url) => checkProvider(config, network, url)));
  const working = findings.filter(({ state }) => state !== 'failed').length;
  if (working === 0)
    findings.push({ state: 'failed', subject: network, details: 'no provider works: payments on it are not seen' });
  else if (working === 1)
    findings.push({
      state: 'warning',
      subject: network,
      details: 'one working provider: nothing of 1,000 USD or more settles until a second one agrees',
    });
  return findings;
}

async function checkProvider(config: Config, network: ReceiveNetwork, url: string): Promise<Finding> {
  const host = new URL(url).host;
  const subject = `${network} ${host}`;
  const only = { ...config.networks[network], rpcUrls: [url] };
  const others = Object.fromEntries(
    RECEIVE_NETWORKS.map((other) => [other, { ...config.networks[other], rpcUrls: [] as string[] }]),
  ) as unknown as Config['networks'];
  const chain = createChains({ networks: { ...others, [network]: only } }, createLogger('silent')).get(network);
  if (!chain) return { state: 'failed', subject, details: 'is not supported' };
  const began = performance.now();
  try {
    const head = await chain.head('first');
    const tookMs = Math.round(performance.now() - began);
    const ageMs = Date.now() - head.time.getTime();
    if (ageMs > MAX_HEAD_AGE_MS)
      return {
        state: 'failed',
        subject,
        details: `its newest block ${head.number} is ${Math.round(ageMs / MINUTE_MS)} minutes old`,
      };
    return { state: 'ok', subject, details: `block ${head.number}, ${tookMs} ms` };
  } catch (error) {
    return { state: 'failed', subject, details: (error as Error).message };
  } finally {
    await chain.close();
  }
}

async function checkMail({ smtpUrl, profile }: Config): Promise<Finding[]> {
  const subject = 'mail';
  if (!smtpUrl)
    return [
      profile === 'production'
        ? { state: 'warning', subject, details: 'SMTP_URL is not set: no email login, no mail to merchants' }
        : { state: 'ok', subject, details: 'written into files (development)' },
    ];
  try {
    await checkSmtp(smtpUrl);
    return [{ state: 'ok', subject, details: 'the mail server accepts the login' }];
  } catch (error) {
    return [{ state: 'failed', subject, details: (error as Error).message }];
  }
}
