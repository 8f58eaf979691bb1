import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { type Address, getAddress } from 'viem';
import { findCluster } from '../../../src/platform/db/embedded/cluster.ts';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { openDatabase } from '../../../src/platform/db/pool.ts';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { ask } from '../../support/ask.ts';
import { injectOver } from '../../support/inject.ts';
import { listen } from '../../support/listen.ts';
import { type Merchant, newMerchant } from '../../support/merchant.ts';
import { bundleService } from '../../support/service-bundle.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { QUIET } from '../../support/settings.ts';
import { postgresProcesses, signalAll } from '../failover/processes.ts';

type Data = any;

const PATIENCE_MS = 60_000;

/** The service in live mode on a local chain, in a process of its own, and in front of it what can answer for it. */
export interface Service extends AsyncDisposable {
  merchant: Merchant;
  /** Its own database, on the PostgreSQL that has the shop's database too. */
  databaseUrl: string;
  /** Where shops reach the service. */
  url: string;
  /** Answers from now on for a path, instead of the service. */
  say(path: string, data: unknown): void;
  /** Whether sessions are made up, for payments that are said. */
  makeUp(isMadeUp: boolean): void;
  /** While it is off, no request is answered. */
  reach(isReachable: boolean): void;
  /** While it is on, refunds are created, and no answer arrives. */
  loseRefunds(isLosing: boolean): void;
  /** How long a new session takes. */
  delay(ms: number): void;
  /** The customer chooses USDC and sends it in full. */
  pay(session: string): Promise<void>;
  /** The customer names their address, the merchant confirms it and sends the money, which the chain makes final. */
  returnMoney(refund: string, link: string): Promise<void>;
  /** Ends the service's process at once, and starts it again. */
  kill(): Promise<void>;
  /** Ends all processes of PostgreSQL at once, which starts again. */
  killDatabase(): Promise<void>;
}

export async function startService(): Promise<Service> {
  const stack = new AsyncDisposableStack();
  const chain = stack.use(await startAnvil({ blockTimeSeconds: 1 }));
  const token = await chain.deployToken();
  const log = pino({ level: 'silent' });
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-shops-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  // Processes are killed, and no machine: what was written to a file is there.
  const settings = { max_connections: '400', fsync: 'off', full_page_writes: 'off' };
  const database = await startEmbeddedDatabase({ dataDir, log, settings });
  stack.defer(() => database.stop());
  const { main } = await bundleService(join(dataDir, 'service'));
  const env = {
    ...QUIET,
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    ...settingsOf(chain, token),
  };
  let running = await startServiceProcess(main, env);
  stack.defer(() => running.end('SIGKILL'));
  const { url } = running;
  const [, customer, wallet] = chain.accounts.map(({ address }) => address) as [Address, Address, Address];
  const merchant = await openAccount(database.url, url);
  await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address: wallet });
  const { front, ...answers } = await inFrontOf(url);
  stack.use(front);

  const send = async (from: Address, to: Address, amount: string) => {
    const hash = await chain.transferErc20({ token, from, to, amount: BigInt(amount.replace('.', '')) });
    await chain.included(hash);
    return hash;
  };
  return {
    merchant,
    databaseUrl: database.url,
    url: front.url,
    ...answers,
    async pay(session) {
      const body = { pay_asset: 'USDC', pay_network: 'ethereum' };
      const chosen = await injectOver(url)('POST', `/v1/public/checkout/sessions/${session}/pay`, { body });
      if (chosen.status !== 200) throw new Error(chosen.raw);
      const { payment } = chosen.body.data as Data;
      await send(customer, getAddress(payment.address), payment.amount);
    },
    async returnMoney(refund, link) {
      await fetch(url + new URL(link).pathname, {
        method: 'POST',
        body: new URLSearchParams({ address: customer }),
        headers: { accept: 'text/html' },
        redirect: 'manual',
      });
      const { coin_amount } = await merchant.get(`/refunds/${refund}`);
      const confirmed = await injectOver(url)('POST', `/dashboard/api/refunds/${refund}/confirm`, {
        token: merchant.loginToken,
        body: { to: customer, coin_amount },
        headers: { 'service-mode': 'live' },
      });
      if (confirmed.status !== 200) throw new Error(confirmed.raw);
      await merchant.post(`/refunds/${refund}/sent`, { tx_hash: await send(wallet, customer, coin_amount) });
      const until = Date.now() + PATIENCE_MS;
      while ((await merchant.get(`/refunds/${refund}`)).status !== 'final') {
        if (Date.now() > until) throw new Error(`The refund ${refund} is not final.`);
        await pause(200);
      }
    },
    async kill() {
      await running.end('SIGKILL');
      running = await startServiceProcess(main, env);
    },
    async killDatabase() {
      const cluster = await findCluster(dataDir);
      if (!cluster) throw new Error('There is no database.');
      signalAll(postgresProcesses(cluster.directory), 'SIGKILL');
      while (!(await ask(database.url, 'select 1').catch(() => undefined))) await pause(100);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function settingsOf({ url, chainId }: TestChain, token: Address): Record<string, string> {
  return {
    PROFILE: 'development',
    RPC_ETHEREUM_URLS: url,
    CHAIN_ID_ETHEREUM: String(chainId),
    TOKEN_USDC_ETHEREUM: token,
    CONFIRMATIONS_ETHEREUM: '2',
  };
}

async function openAccount(databaseUrl: string, url: string): Promise<Merchant> {
  const db = openDatabase({ url: databaseUrl, log: pino({ level: 'silent' }), connections: 1 });
  try {
    return (await newMerchant({ db }, injectOver(url))).live;
  } finally {
    await db.close();
  }
}

/** What shops reach. It passes requests on, and answers some of them by itself. */
async function inFrontOf(url: string) {
  const said = new Map<string, unknown>();
  let isMadeUp = false;
  let isReachable = true;
  let isLosing = false;
  let delayMs = 0;
  let made = 0;
  const front = createServer(async (request, response) => {
    const body = await buffer(request);
    const path = (request.url ?? '').split('?')[0] as string;
    if (!isReachable) return void request.socket.destroy();
    if (path === '/v1/checkout/sessions') await pause(delayMs);
    if (said.has(path)) return answer(response, said.get(path));
    if (isMadeUp && path === '/v1/checkout/sessions') {
      const id = `cs_made${(made += 1)}`;
      const checkout = { id, checkout_url: `https://pay.example.com/checkout/${id}`, expires_at: null };
      said.set(`${path}/${id}`, { ...checkout, payment: null, retry_of: null });
      return answer(response, said.get(`${path}/${id}`));
    }
    const found = await passOn(url, request, body).catch(() => undefined);
    const isLost = isLosing && request.method === 'POST' && path.endsWith('/refunds');
    if (!found || isLost) return void request.socket.destroy();
    response.writeHead(found.status, { 'content-type': found.headers.get('content-type') ?? 'application/json' });
    response.end(Buffer.from(await found.arrayBuffer()));
  });
  return {
    front: await listen(front),
    say: (path: string, data: unknown) => void said.set(path, data),
    makeUp: (value: boolean) => void (isMadeUp = value),
    reach: (value: boolean) => void (isReachable = value),
    loseRefunds: (value: boolean) => void (isLosing = value),
    delay: (ms: number) => void (delayMs = ms),
  };
}

function answer(response: ServerResponse, data: unknown): void {
  const body = Array.isArray(data) ? { data, pagination: { cursor: null, has_more: false } } : { data };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...body, request_id: 'req_1' }));
}

function passOn(to: string, request: IncomingMessage, body: Buffer): Promise<Response> {
  const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers } = request.headers;
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  return fetch(to + request.url, {
    method: request.method as string,
    headers: headers as Record<string, string>,
    ...(hasBody && { body: new Uint8Array(body) }),
  });
}
