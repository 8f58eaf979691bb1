import { parseArgs } from 'node:util';
import { RECEIVE_NETWORKS } from '@quittance/contract';
import { type Config, readConfig } from '../config.ts';
import { defaultRpcUrls } from '../config/settings.ts';
import { checkSmtp } from '../outside/mail/mailer.ts';
import { findRunningDatabase, startEmbeddedDatabase } from '../platform/db/embedded/embedded.ts';
import { findLastBackup } from '../platform/db/embedded/last-backup.ts';
import { planMigrations } from '../platform/db/migrate.ts';
import type { Database } from '../platform/db/db.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { refuseSharedSessions, refuseUnfitPooler } from '../platform/db/pooler.ts';
import { findRedisRole } from '../platform/http/admission/shared-store.ts';
import { trustedProxies } from '../platform/http/admission/trusted-proxies.ts';
import { createLogger } from '../platform/log.ts';
import { createSecrets } from '../platform/secrets.ts';
import { SECOND_MS } from '../platform/time.ts';
import { findFreeBytes, MAX_BACKUP_AGE_MS, megabytes, MIN_FREE_BYTES } from '../alarms/embedded-upkeep.ts';
import { checkMasterKey } from '../check-master-key.ts';
import { checkNetwork } from './doctor-network.ts';
import { checkPrices } from './doctor-prices.ts';
import { describeServer } from './store.ts';
import { type Finding, groupByCause, lineOf } from './finding.ts';
import { print } from './print.ts';

/** Signatures, sessions and prices depend on the time; a larger difference makes them wrong. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * SECOND_MS;
/** `quittance-server doctor`: checks everything that the service depends on and says what to do. Changes nothing. */
export async function run(args: string[]): Promise<void> {
  parseArgs({ args, options: {} });
  // An exception reports all invalid settings at once.
  const config = readConfig();
  const wrong: Finding[] = [];
  const checks = [
    async () => checkSettings(config),
    () => checkDatabase(config),
    () => checkDisk(config),
    () => checkBackups(config),
    ...RECEIVE_NETWORKS.map((network) => () => checkNetwork(config, network)),
    () => checkPrices(config),
    () => checkMail(config),
    () => checkRedis(config),
    () => checkProxy(config),
  ];
  for (const check of checks) {
    for (const finding of await check()) {
      if (finding.state === 'ok') print(lineOf(finding));
      else wrong.push(finding);
    }
  }
  for (const finding of groupByCause(wrong)) print(lineOf(finding));
  const failed = wrong.filter(({ state }) => state === 'failed').length;
  if (failed === 0) return;
  // The end of the report, so it goes where the report goes.
  print(`${failed === 1 ? 'One check' : `${failed} checks`} failed.`);
  process.exitCode = 1;
}

export function checkSettings(config: Config): Finding[] {
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
    findings.push({ state: 'warning', subject: 'DATABASE_URL', details: 'embedded: one process serves this database' });
  return [...findings, ...(config.profile === 'production' ? checkFeatures(config) : [])];
}

/** What works less well than it could, without an error that would say so. */
function checkFeatures({ networks, routes, walletConnect }: Config): Finding[] {
  const shared = RECEIVE_NETWORKS.filter((network) => networks[network].rpcUrls.join() === defaultRpcUrls(network));
  const off = [
    ...(routes.feeRecipient || routes.providers.length === 0 ? [] : ['other coins (ROUTES_FEE_RECIPIENT)']),
    ...(walletConnect ? [] : ['a wallet on another device (WALLETCONNECT_PROJECT_ID)']),
  ];
  return [
    ...(shared.length === 0
      ? []
      : [
          {
            state: 'warning' as const,
            subject: 'RPC providers',
            details: `${shared.join(', ')}: the keyless defaults, which everyone shares. Set your own, or a comma for none`,
          },
        ]),
    ...(off.length === 0
      ? []
      : [
          {
            state: 'warning' as const,
            subject: 'switched off',
            details: `customers cannot pay with ${off.join(' or ')}`,
          },
        ]),
  ];
}

export async function checkDatabase(config: Config): Promise<Finding[]> {
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
        const server = await checkServer(db);
        if (pending.length > 0) {
          const details = `${pending.length} to apply: quittance-server migrate`;
          return [...server, { state: 'warning', subject: 'schema', details }];
        }
        return [...server, { state: 'ok', subject: 'schema', details: 'up to date' }, ...(await checkKey(db, config))];
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

/** The check of the start. Without the setting, the key is a file in DATA_DIR, beside its own database. */
async function checkKey(db: Database, { masterKey }: Config): Promise<Finding[]> {
  const subject = 'MASTER_KEY';
  if (!masterKey) return [];
  try {
    await checkMasterKey(db, createSecrets(masterKey));
    return [
      {
        state: 'ok',
        subject,
        details: 'opens the secrets of endpoints and the keys of receipts in the database, if there are any',
      },
    ];
  } catch (error) {
    return [{ state: 'failed', subject, details: (error as Error).message }];
  }
}

export async function checkDisk({ databaseUrl, dataDir }: Config, findFree = findFreeBytes): Promise<Finding[]> {
  // What does not exist yet is on no disk.
  const free = databaseUrl ? undefined : await findFree(dataDir).catch(() => undefined);
  if (free === undefined) return [];
  const details = `${megabytes(free)} are free for the database in ${dataDir}`;
  return [
    free < MIN_FREE_BYTES
      ? { state: 'failed', subject: 'disk', details: `${details}, which ends when it cannot write: make room` }
      : { state: 'ok', subject: 'disk', details },
  ];
}

/** Those of the embedded database; of another one nothing is known. */
export async function checkBackups({ profile, databaseUrl, dataDir }: Config): Promise<Finding[]> {
  if (databaseUrl || profile === 'development') return [];
  const subject = 'backup';
  const takenAt = await findLastBackup(dataDir);
  if (!takenAt)
    return [
      { state: 'warning', subject, details: 'none was made yet: quittance-server backup, daily (docs/backup.md)' },
    ];
  const details = `the last one is of ${takenAt.toISOString()}`;
  return Date.now() - takenAt.getTime() > MAX_BACKUP_AGE_MS
    ? [
        {
          state: 'failed',
          subject,
          details: `${details}: what makes them has stopped (systemctl status quittance-backup)`,
        },
      ]
    : [{ state: 'ok', subject, details }];
}

async function checkServer(db: ReturnType<typeof openDatabase>): Promise<Finding[]> {
  const askedAt = Date.now();
  const row = await describeServer(db);
  if (!row) return [{ state: 'failed', subject: 'database', details: 'answered nothing' }];
  const middle = (askedAt + Date.now()) / 2;
  const differenceMs = Math.abs(row.clock.getTime() - middle);
  return [
    row.isReadOnly
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

export async function checkMail({ smtpUrl, smtpTls, mailFrom, profile }: Config): Promise<Finding[]> {
  const subject = 'mail';
  if (!smtpUrl)
    return [
      profile === 'production'
        ? { state: 'warning', subject, details: 'SMTP_URL is not set: no email login, no mail to merchants' }
        : { state: 'ok', subject, details: 'written into files (development)' },
    ];
  try {
    await checkSmtp(smtpUrl, smtpTls);
    return [{ state: 'ok', subject, details: `the mail server accepts the login; the sender of mails is ${mailFrom}` }];
  } catch (error) {
    return [{ state: 'failed', subject, details: (error as Error).message, settings: 'SMTP_URL' }];
  }
}

export async function checkRedis({ redisUrl, role }: Config): Promise<Finding[]> {
  const subject = 'Redis';
  if (!redisUrl)
    return [
      role === 'all'
        ? { state: 'ok', subject, details: 'not used: one process counts its own limits' }
        : {
            state: 'warning',
            subject,
            details:
              'REDIS_URL is not set: each API process counts its own limits, so several allow several times as much',
          },
    ];
  try {
    const serverRole = await findRedisRole(redisUrl);
    return [
      serverRole === 'master'
        ? { state: 'ok', subject, details: 'accepts writes' }
        : {
            state: 'failed',
            subject,
            details: `is a ${serverRole}, which accepts no writes: name an address that leads to the primary (docs/installing.md)`,
          },
    ];
  } catch (error) {
    const details = `${new URL(redisUrl).host}: ${(error as Error).message}`;
    return [{ state: 'failed', subject, details, settings: 'REDIS_URL' }];
  }
}

const TIMEOUT_MS = 10 * SECOND_MS;

/** How requests to PUBLIC_URL arrive: through a proxy that names the client, and whom the service trusts about it. */
export async function checkProxy(config: Config): Promise<Finding[]> {
  const { profile, publicUrl, metricsPort } = config;
  if (profile === 'development') return [{ state: 'ok', subject: 'proxy', details: 'none is expected (development)' }];
  const findings: Finding[] = [
    config.trustedProxies.length > 0
      ? { state: 'ok', subject: 'TRUSTED_PROXIES', details: config.trustedProxies.join(', ') }
      : {
          state: 'warning',
          subject: 'TRUSTED_PROXIES',
          details: 'not set: behind a proxy, all clients share its rate limits. Name the address that it connects from',
        },
  ];
  if (metricsPort === null && trustedProxies(config.trustedProxies)('127.0.0.1'))
    findings.push({
      state: 'warning',
      subject: 'METRICS_PORT',
      details: 'not set: /metrics answers 404 to this machine, which TRUSTED_PROXIES names. Set a port for monitoring',
    });
  return [...findings, await checkPublicUrl(publicUrl, metricsPort)];
}

/**
 * Without a port of its own, `/metrics` exists for this machine only, so it shows whether the proxy says that a request is
 * not from here.
 */
export async function checkPublicUrl(publicUrl: string, metricsPort: number | null): Promise<Finding> {
  const subject = 'PUBLIC_URL';
  try {
    const health = await ask(`${publicUrl}/healthz`);
    if (health.status !== 200 || (health.body as { status?: unknown } | undefined)?.status !== 'ok')
      return {
        state: 'warning',
        subject,
        details: `${publicUrl}/healthz answers ${health.status} and not as this service: start it, or let the proxy pass everything on`,
      };
    if (metricsPort !== null) return { state: 'ok', subject, details: `${publicUrl} leads to the service` };
    const { status } = await ask(`${publicUrl}/metrics`);
    if (status === 200)
      return {
        state: 'failed',
        subject,
        details: `${publicUrl}/metrics is public: let the proxy set X-Forwarded-For to the client's address (docs/installing.md)`,
      };
    return { state: 'ok', subject, details: `${publicUrl} leads to the service, which sees that a proxy forwards` };
  } catch (error) {
    const { message, cause } = error as Error;
    return {
      state: 'warning',
      subject,
      details: `${publicUrl} cannot be reached from here: ${(cause as Error | undefined)?.message || message}`,
    };
  }
}

async function ask(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: undefined };
  }
}
