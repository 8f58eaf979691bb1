import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkDatabase,
  checkMail,
  checkRedis,
  checkSettings,
  checkProxy,
  checkPublicUrl,
} from '../../src/commands/doctor.ts';
import { type Finding, groupByCause } from '../../src/commands/finding.ts';
import { checkNetwork, checkQuorum } from '../../src/commands/doctor-network.ts';
import { readConfig } from '../../src/config.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { startApp } from '../support/app.ts';
import { createTestDatabase, refuseWrites } from '../support/database.ts';
import { startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { installClock } from '../support/movable-clock.ts';
import { findPgBouncers, startPgBouncer } from '../support/pgbouncer.ts';

const DAY_SECONDS = 86_400;
const QUIET = { RPC_ETHEREUM_URLS: ',', RPC_POLYGON_URLS: ',', RPC_ARBITRUM_URLS: ',', RPC_SOLANA_URLS: ',' };
const PRODUCTION = {
  PROFILE: 'production',
  PUBLIC_URL: 'https://pay.example.com',
  MASTER_KEY: '11'.repeat(32),
  DATABASE_URL: 'embedded',
};

const toServe = async (listener: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: stop };
};

describe('the doctor asks each provider of a network', () => {
  let chain: TestChain;
  beforeAll(async () => {
    // A block a day, for forty days until now.
    chain = await startAnvil({ chainId: 4_711, genesisTime: new Date(Date.now() - 40 * DAY_SECONDS * 1000) });
    await chain.mine(40, { intervalSeconds: DAY_SECONDS });
  });
  afterAll(() => chain.stop());

  const ask = async (url: string) => {
    const config = readConfig({ ...QUIET, RPC_BASE_URLS: url, CHAIN_ID_BASE: '4711' });
    return (await checkNetwork(config, 'base')).map(({ state, details }) => `${state}: ${details}`);
  };

  test('for its newest block, its history and its rate', async () => {
    expect(await ask(chain.url)).toEqual([
      expect.stringMatching(/^ok: block 40, \d+ ms$/),
      'ok: serves transfers of 31 days ago',
      expect.stringMatching(/^ok: answered a burst of 20 calls, about \d+ a second$/),
      'warning: one provider: it settles alone and without a limit. Configure three of different operators',
    ]);
  });

  test('for the balances and traces that show ether from contracts', async () => {
    await using proxy = await startRpcProxy(chain.url);
    const askFor = async (...refused: string[]) => {
      proxy.refused = refused;
      const config = readConfig({ ...QUIET, RPC_ETHEREUM_URLS: proxy.url, CHAIN_ID_ETHEREUM: '4711' });
      return (await checkNetwork(config, 'ethereum')).map(({ state, details }) => `${state}: ${details}`);
    };
    expect(await askFor()).toEqual(
      expect.arrayContaining([
        'ok: serves transfers of 31 days ago',
        'ok: serves the balances of the newest blocks',
        'ok: traces blocks',
      ]),
    );
    const blind = 'failed: no provider serves balances or traces: ether that contracts send is not seen';
    const noBalances = await askFor('eth_getBalance');
    expect(noBalances).toContainEqual(expect.stringMatching(/^warning: serves no balances of the newest blocks, .*/));
    expect(noBalances).toContain('ok: traces blocks');
    const noTraces = await askFor('debug_', 'trace_');
    expect(noTraces).toContain('ok: serves the balances of the newest blocks');
    expect(noTraces).toContainEqual(expect.stringMatching(/^warning: traces no blocks/));
    for (const found of [noBalances, noTraces]) expect(found).not.toContainEqual(expect.stringContaining(blind));
    const neither = await askFor('eth_getBalance', 'debug_', 'trace_');
    expect(neither).toContainEqual(expect.stringContaining(blind));
    expect(neither).toContain('ok: serves transfers of 31 days ago, but not ether that contracts sent then');
  });

  test.each([
    [3, 3, undefined],
    [3, 2, undefined],
    [2, 2, undefined],
    [1, 1, /^warning: one provider: it settles alone and without a limit/],
    [2, 1, /^warning: one of two providers works: payments wait, .* below 1,000 USD/],
    [3, 1, /^warning: 1 of 3 providers works: nothing settles until a majority does/],
    [4, 2, /^warning: 2 of 4 providers work: nothing settles until a majority does/],
    [2, 0, /^failed: no provider works/],
  ])('and says what settles if of %i providers %i work', (configured, working, expected) => {
    const found = checkQuorum('base', { configured, working }).map(({ state, details }) => `${state}: ${details}`);
    expect(found).toEqual(expected ? [expect.stringMatching(expected)] : []);
  });

  test('and says how many days of history one with pruned blocks serves', async () => {
    const oldest = async () => (await chain.head()).number - 10n;
    await using pruned = await behind(chain.url, async (calls) =>
      calls.some(({ params: [filter] }) => BigInt(filter?.fromBlock ?? '0xffff') < 31n) && (await oldest()) > 0n
        ? 'history has been pruned for this block'
        : undefined,
    );
    expect(await ask(pruned.url)).toContainEqual(
      expect.stringMatching(/^warning: serves transfers of 7 days ago and not of 31: .*pruned/),
    );
    await using empty = await behind(chain.url, async (calls) =>
      calls.some(({ params: [filter] }) => filter?.fromBlock !== undefined) ? 'pruned' : undefined,
    );
    // A day ago is one block here, and without the newest ones nothing is seen.
    expect(await ask(empty.url)).toContainEqual(
      expect.stringMatching(/^failed: its newest blocks cannot be read: no payment is seen \(.*pruned/),
    );
  });

  test('and says how many calls of a burst one with a low limit refuses', async () => {
    await using limited = await behind(chain.url, async (_, inFlight) =>
      inFlight > 2 ? 'too many requests at once' : undefined,
    );
    expect(await ask(limited.url)).toContainEqual(
      expect.stringMatching(/^warning: refused \d+ of a burst of 20 calls \(.*too many requests.*\): raise its plan/),
    );
  });

  test('and fails on an old newest block, a wrong chain and an error', async () => {
    await using old = await startAnvil({ chainId: 4_711, genesisTime: new Date(Date.now() - 600_000) });
    expect(await ask(old.url)).toEqual([
      'failed: its newest block 0 is 10 minutes old',
      'failed: no provider works: payments on it are not seen',
    ]);
    await using proxy = await startRpcProxy(chain.url);
    for (const fault of ['wrong_chain_id', 'http_500'] as const) {
      proxy.suffer(fault);
      expect((await ask(proxy.url))[0]).toMatch(/^failed: /);
    }
  });

  /** A provider in front of the chain that refuses some calls. */
  function behind(
    upstream: string,
    refusal: (calls: { params: any[] }[], inFlight: number) => Promise<string | undefined>,
  ) {
    let inFlight = 0;
    return toServe(async (request, response) => {
      inFlight += 1;
      const body = await bodyOf(request);
      const calls = [JSON.parse(body)].flat();
      const refused = await refusal(calls, inFlight);
      const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message: refused } }));
      const text =
        refused === undefined
          ? await (
              await fetch(upstream, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
            ).text()
          : JSON.stringify(Array.isArray(JSON.parse(body)) ? answers : answers[0]);
      inFlight -= 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
  }
});

test('the doctor says what customers lack where nothing else would', () => {
  const own = { RPC_BASE_URLS: 'https://one.example', ...QUIET };
  const find = (env: Record<string, string>) =>
    checkSettings(readConfig({ ...PRODUCTION, ...env })).map(({ subject, details }) => `${subject}: ${details}`);
  expect(find({ ...own, RPC_SOLANA_URLS: '' })).toEqual(
    expect.arrayContaining([
      'RPC providers: solana: the keyless defaults, which everyone shares. Set your own, or a comma for none',
      'switched off: customers cannot pay with other coins (ROUTES_FEE_RECIPIENT) or a wallet on another device ' +
        '(WALLETCONNECT_PROJECT_ID)',
    ]),
  );
  const all = { ...own, ROUTES_FEE_RECIPIENT: 'fees.near', WALLETCONNECT_PROJECT_ID: 'a'.repeat(32) };
  expect(find(all)).not.toContainEqual(expect.stringMatching(/^(RPC providers|switched off)/));
});

describe('the doctor asks the database', () => {
  const ask = async (more: Record<string, string>) =>
    (await checkDatabase(readConfig({ ...QUIET, ...more }))).map(({ state, details }) => `${state}: ${details}`);

  test('whether its clock agrees with this machine', async () => {
    const database = await createTestDatabase();
    try {
      expect(await ask({ DATABASE_URL: database.url })).toContainEqual(
        expect.stringMatching(/^ok: within \d+ ms of the database$/),
      );
      const clock = await installClock(database.url);
      await clock.pass(3_600_000);
      await clock.close();
      expect(await ask({ DATABASE_URL: database.url })).toContainEqual(
        expect.stringMatching(/^failed: differs from the database by 3[56]\d\d s: synchronize both \(NTP\)$/),
      );
    } finally {
      await database.drop();
    }
  });

  test('whether it accepts writes', async () => {
    const database = await createTestDatabase();
    try {
      await refuseWrites(database.url);
      expect(await ask({ DATABASE_URL: database.url })).toContainEqual(
        expect.stringMatching(/^failed: accepts no writes: it is a standby or set read-only/),
      );
    } finally {
      await database.drop();
    }
  });

  test.runIf(findPgBouncers().length > 0)('through a pooler only with a direct address for migrations', async () => {
    const database = await createTestDatabase();
    const pooler = await startPgBouncer(database.url, findPgBouncers()[0] as { file: string });
    try {
      expect(await ask({ DATABASE_URL: pooler.url })).toEqual([
        expect.stringMatching(/^failed: .*pools by transaction\. Set DATABASE_DIRECT_URL/),
      ]);
    } finally {
      await pooler.stop();
      await database.drop();
    }
  });

  test('whether MASTER_KEY opens what is in it', async () => {
    const database = await createTestDatabase();
    await using app = await startApp({ database });
    await app.merchant.createEndpoint();
    const right = (await readFile(join(app.config.dataDir, 'master.key'), 'utf8')).trim();
    const askWith = (key: string) => ask({ DATABASE_URL: database.url, MASTER_KEY: key });
    expect(await askWith(right)).toContainEqual(expect.stringMatching(/^ok: opens the secrets of endpoints/));
    expect(await askWith('22'.repeat(32))).toContainEqual(expect.stringMatching(/^failed: MASTER_KEY does not match/));
  });

  test('and says where it did not answer, without its password', async () => {
    const [answer] = await ask({ DATABASE_URL: 'postgres://quittance:secret@127.0.0.1:9/quittance' });
    expect(answer).toMatch(/^failed: No connection to the database at 127\.0\.0\.1:9: /);
    expect(answer).not.toContain('secret');
    await using stack = new AsyncDisposableStack();
    const database = await createTestDatabase();
    stack.defer(() => database.drop());
    const [missing] = await ask({ DATABASE_URL: database.url.replace(/[^/]+$/, 'no_such_database') });
    expect(missing).toMatch(/^failed: The database at .* rejected the connection: .*no_such_database/);
  });
});

describe('the doctor logs in to the mail server', () => {
  const ask = async (url: string) => (await checkMail(readConfig({ SMTP_URL: url, MAIL_FROM: 'shop@example.com' })))[0];

  test('and says whether it is accepted', async () => {
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) =>
        password === 'right' ? done(null, { user: 'shop' }) : done(new Error('wrong password')),
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    try {
      expect(await ask(`smtp://shop:right@127.0.0.1:${port}`)).toMatchObject({
        state: 'ok',
        details: 'the mail server accepts the login; the sender of mails is shop@example.com',
      });
      expect(await ask(`smtp://shop:wrong@127.0.0.1:${port}`)).toMatchObject({
        state: 'failed',
        details: expect.stringContaining('wrong password'),
      });
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
    const finding = (await ask(`smtp://127.0.0.1:${port}`)) as Finding;
    expect(groupByCause([finding])[0]?.details).toMatch(/ECONNREFUSED.*: not reached: .*; see SMTP_URL$/);
  });
});

describe('the doctor asks Redis', () => {
  const ask = async (env: Record<string, string>) => (await checkRedis(readConfig({ ...QUIET, ...env })))[0];

  test('whether it accepts writes, since a replica does not', async () => {
    for (const [role, state] of [
      ['master', 'ok'],
      ['slave', 'failed'],
    ]) {
      await using redis = await startRedisOf(String(role));
      expect(await ask({ REDIS_URL: redis.url })).toMatchObject({ state });
    }
  });

  test('and says where it did not answer; without one, several API processes count alone', async () => {
    const finding = (await ask({ REDIS_URL: 'redis://:secret@127.0.0.1:9' })) as Finding;
    expect(groupByCause([finding])).toMatchObject([
      {
        state: 'failed',
        details: expect.stringMatching(/^127\.0\.0\.1:9: .*ECONNREFUSED.*: not reached: .*; see REDIS_URL$/),
      },
    ]);
    expect(await ask({})).toMatchObject({ state: 'ok' });
    expect(await ask({ ROLE: 'api', DATABASE_URL: 'postgres://127.0.0.1/quittance' })).toMatchObject({
      state: 'warning',
    });
  });

  /** Answers what a Redis of this role answers to `INFO`. */
  async function startRedisOf(role: string) {
    const server = createTcpServer((socket) => {
      socket.on('data', (data) => {
        // One answer per command; only INFO matters.
        for (const _ of String(data).matchAll(/^\*\d/gm)) {
          const info = `# Replication\r\nrole:${role}\r\nloading:0\r\n`;
          socket.write(`$${info.length}\r\n${info}\r\n`);
        }
      });
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async [Symbol.asyncDispose]() {
        server.close();
      },
    };
  }
});

describe('the doctor asks for PUBLIC_URL', () => {
  test('and fails if the proxy does not say that it forwards, which makes /metrics public', async () => {
    const service =
      (metrics: number): RequestListener =>
      ({ url }, response) =>
        url === '/healthz'
          ? response.writeHead(200).end('{"status":"ok"}')
          : response.writeHead(metrics).end('quittance_ready 1');
    await using open = await toServe(service(200));
    expect(await checkPublicUrl(open.url, null)).toMatchObject({
      state: 'failed',
      details: expect.stringContaining('X-Forwarded-For'),
    });
    await using right = await toServe(service(404));
    expect(await checkPublicUrl(right.url, null)).toMatchObject({
      state: 'ok',
      details: expect.stringContaining('sees that a proxy forwards'),
    });
    expect(await checkPublicUrl(right.url, 9464)).toEqual({
      state: 'ok',
      subject: 'PUBLIC_URL',
      details: `${right.url} leads to the service`,
    });
  });

  test('and warns if something else answers there, or nothing', async () => {
    await using parked = await toServe((_, response) => response.writeHead(200).end('<h1>Welcome to nginx</h1>'));
    expect(await checkPublicUrl(parked.url, null)).toMatchObject({
      state: 'warning',
      details: expect.stringContaining('not as this service'),
    });
    expect(await checkPublicUrl('http://127.0.0.1:9', null)).toMatchObject({
      state: 'warning',
      details: expect.stringContaining('cannot be reached from here'),
    });
  });

  test('and warns in production if no proxy is trusted', async () => {
    const ask = async (env: Record<string, string>) =>
      (await checkProxy({ ...readConfig({ ...PRODUCTION, ...env }), publicUrl: 'http://127.0.0.1:9' }))[0];
    expect(await ask({})).toMatchObject({ state: 'warning', subject: 'TRUSTED_PROXIES' });
    expect(await ask({ TRUSTED_PROXIES: '10.0.0.1' })).toMatchObject({ state: 'ok', details: '10.0.0.1' });
    expect((await checkProxy(readConfig({})))[0]).toMatchObject({ state: 'ok', subject: 'proxy' });
  });

  test('and warns if a proxy on this machine is trusted and METRICS_PORT is not set, since /metrics is nowhere then', async () => {
    const subjects = async (env: Record<string, string>) => {
      const config = readConfig({ ...PRODUCTION, TRUSTED_PROXIES: '127.0.0.1', ...env });
      const findings = await checkProxy({ ...config, publicUrl: 'http://127.0.0.1:9' });
      return findings.filter(({ state }) => state === 'warning').map(({ subject }) => subject);
    };
    expect(await subjects({})).toEqual(['METRICS_PORT', 'PUBLIC_URL']);
    expect(await subjects({ METRICS_PORT: '9464' })).toEqual(['PUBLIC_URL']);
    expect(await subjects({ TRUSTED_PROXIES: '10.0.0.1' })).toEqual(['PUBLIC_URL']);
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  return (await request.toArray()).join('');
}
