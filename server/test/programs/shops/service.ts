import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Address, getAddress } from 'viem';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { createTestDatabase, type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { startTestServer } from '../../support/global-setup.ts';

type Data = any;

const PATIENCE_MS = 60_000;

/** The service in live mode on a local chain, and in front of it what can answer for it. */
export interface Service extends AsyncDisposable {
  app: TestApp;
  chain: TestChain;
  merchant: Merchant;
  /** The PostgreSQL, for the shop's own database. */
  databaseUrl: string;
  /** Where shops reach the service. */
  url: string;
  /** Answers from now on for a path, instead of the service. */
  say(path: string, data: unknown): void;
  /** Whether sessions are made up, for payments that are said. */
  makeUp(isMadeUp: boolean): void;
  /** While it is off, no request is answered. */
  reach(isReachable: boolean): void;
  /** How long a new session takes. */
  delay(ms: number): void;
  /** The customer chooses USDC and sends it in full. */
  pay(session: string): Promise<void>;
  /** The customer names their address, the merchant confirms it and sends the money, which the chain makes final. */
  returnMoney(refund: string, link: string): Promise<void>;
}

export async function startService(): Promise<Service> {
  const stack = new AsyncDisposableStack();
  const chain = stack.use(await startAnvil({ blockTimeSeconds: 1 }));
  const token = await chain.deployToken();
  const server = await startTestServer('shops');
  stack.defer(() => server.stop());
  const database = await createTestDatabase(server.testDatabase);
  const env = {
    RPC_ETHEREUM_URLS: chain.url,
    CHAIN_ID_ETHEREUM: String(chain.chainId),
    TOKEN_USDC_ETHEREUM: token,
    CONFIRMATIONS_ETHEREUM: '2',
  };
  const app = stack.use(await startApp({ listen: true, work: true, database, env }));
  const merchant = app.merchant.live;
  const [, customer, wallet] = chain.accounts.map(({ address }) => address) as [Address, Address, Address];
  await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address: wallet });

  const said = new Map<string, unknown>();
  let isMadeUp = false;
  let isReachable = true;
  let delayMs = 0;
  let made = 0;
  const front = createServer(async (request, response) => {
    const body = await buffer(request);
    const path = (request.url ?? '').split('?')[0] as string;
    if (!isReachable) return void request.socket.destroy();
    if (path === '/v1/checkout/sessions') await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (said.has(path)) return answer(response, said.get(path));
    if (isMadeUp && path === '/v1/checkout/sessions') {
      const id = `cs_made${(made += 1)}`;
      const checkout = { id, checkout_url: `https://pay.example.com/checkout/${id}`, expires_at: null };
      return answer(response, { ...checkout, payment: `pay_made${made}`, retry_of: null });
    }
    await passOn(app.url, request, body, response);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  stack.defer(() => void front.close());

  const send = async (from: Address, to: Address, amount: bigint) => {
    const hash = await chain.transferErc20({ token, from, to, amount });
    await chain.included(hash);
    return hash;
  };
  return {
    app,
    chain,
    merchant,
    databaseUrl: server.testDatabase.serverUrl,
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    say: (path, data) => void said.set(path, data),
    makeUp: (value) => void (isMadeUp = value),
    reach: (value) => void (isReachable = value),
    delay: (ms) => void (delayMs = ms),
    async pay(session) {
      const body = { pay_asset: 'USDC', pay_network: 'ethereum' };
      const chosen = await app.inject('POST', `/v1/public/checkout/sessions/${session}/pay`, { body });
      const { payment } = chosen.body.data as Data;
      await send(customer, getAddress(payment.address), BigInt(payment.amount.replace('.', '')));
    },
    async returnMoney(refund, link) {
      await app.server.inject({
        method: 'POST',
        url: new URL(link).pathname,
        payload: new URLSearchParams({ address: customer }).toString(),
        headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      });
      const { coin_amount } = await merchant.get(`/refunds/${refund}`);
      const confirmed = await app.inject('POST', `/dashboard/api/refunds/${refund}/confirm`, {
        token: merchant.loginToken,
        body: { to: customer, coin_amount },
        headers: { 'service-mode': 'live' },
      });
      if (confirmed.status !== 200) throw new Error(confirmed.raw);
      const tx_hash = await send(wallet, customer, BigInt(coin_amount.replace('.', '')));
      await merchant.post(`/refunds/${refund}/sent`, { tx_hash });
      const until = Date.now() + PATIENCE_MS;
      while ((await merchant.get(`/refunds/${refund}`)).status !== 'final') {
        if (Date.now() > until) throw new Error(`The refund ${refund} is not final.`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function answer(response: ServerResponse, data: unknown): void {
  const body = Array.isArray(data) ? { data, pagination: { cursor: null, has_more: false } } : { data };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...body, request_id: 'req_1' }));
}

async function passOn(to: string, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
  const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers } = request.headers;
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const found = await fetch(to + request.url, {
    method: request.method as string,
    headers: headers as Record<string, string>,
    ...(hasBody && { body: new Uint8Array(body) }),
  });
  response.writeHead(found.status, { 'content-type': found.headers.get('content-type') ?? 'application/json' });
  response.end(Buffer.from(await found.arrayBuffer()));
}
