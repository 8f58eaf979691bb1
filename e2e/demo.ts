import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Address, formatUnits, parseUnits } from 'viem';
import { startAnvil, type TestChain } from '@quittance/server/testing/anvil';
import { endProcess } from '@quittance/server/testing/service-process';
import { endOnSignal } from '@quittance/server/end-on-signal';

/**
 * A complete payment in which only the money has no value: a local Ethereum node, the service with its own database, a
 * merchant who signs in, a customer who pays by an ERC-20 transfer, a webhook that is verified.
 */
async function demo(stack: AsyncDisposableStack): Promise<void> {
  step('Starting a local Ethereum node');
  const chain = stack.use(await startAnvil({ blockTimeSeconds: 1 }));
  const token = await chain.deployToken();
  const [, customer, merchant] = chain.accounts.map((account) => account.address) as [Address, Address, Address];
  tell(`chain id ${chain.chainId}, test dollar at ${token}`);

  step('Starting the service with a database of its own');
  // An interruption stops what the stack holds, so nothing may start and wait before it is on the stack.
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-demo-'));
  // What makes its database may still write for a moment after the service has ended.
  const remove = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };
  process.once('exit', () => rmSync(dataDir, remove));
  stack.defer(() => rm(dataDir, remove));
  const child = spawnService(dataDir, chain, token);
  stack.defer(async () => void (await endProcess(child)));
  const service = await startService(child);
  tell(service.url);

  step('Starting the merchant’s webhook receiver');
  const receiver = await startReceiver();
  stack.defer(() => new Promise<void>((resolve) => receiver.server.close(() => resolve())));
  tell(receiver.url);

  step('Signing in with a code from an email');
  const email = 'ada@shop.example';
  await service.call('POST', '/v1/auth/email/start', { email });
  const code = await readCode(join(dataDir, 'mail'));
  const { session_token: login } = await service.call<{ session_token: string }>('POST', '/v1/auth/email/verify', {
    email,
    code,
  });
  tell(`code ${code} accepted`);

  step('Creating a live API key');
  const { secret: key } = await service.call<{ secret: string }>(
    'POST',
    '/v1/api-keys',
    { mode: 'live', label: 'demo' },
    login,
  );
  tell(`${key.slice(0, 12)}…${key.slice(-4)}`);

  step('Saving a payout wallet, an endpoint and a checkout session');
  await service.call('POST', '/v1/payout-wallets', { asset: 'USDC', network: 'ethereum', address: merchant }, key);
  const endpoint = await service.call<{ secret: string }>(
    'POST',
    '/v1/webhook-endpoints',
    {
      url: receiver.url,
      events: ['payment.created', 'payment.pending', 'payment.paid'],
    },
    key,
  );
  receiver.verifyWith(endpoint.secret);
  const session = await service.call<{ id: string; checkout_url: string }>(
    'POST',
    '/v1/checkout/sessions',
    {
      amount: '49.00',
      order_id: 'order-1001',
      description: 'Two ferns',
    },
    key,
  );
  tell(session.checkout_url);

  step('The customer chooses USDC on Ethereum');
  const chosen = await service.call<{ payment: { amount: string; address: Address } }>(
    'POST',
    `/v1/public/checkout/sessions/${session.id}/pay`,
    { pay_asset: 'USDC', pay_network: 'ethereum' },
  );
  tell(`send exactly ${chosen.payment.amount} USDC to ${chosen.payment.address}`);

  step('The customer sends it from their own wallet');
  const txHash = await chain.transferErc20({
    token,
    from: customer,
    to: chosen.payment.address,
    amount: parseUnits(chosen.payment.amount, 6),
  });
  const { blockNumber } = await chain.included(txHash);
  tell(`transaction ${txHash} in block ${blockNumber}`);

  step('Waiting for the signed webhook');
  const paid = await receiver.received('payment.paid');
  tell(
    `payment.paid for ${paid.data.order_id}, ${paid.data.actual_output} ${paid.data.receive_asset}, signature verified`,
  );
  tell(`transaction ${paid.data.tx_hash}`);

  const balance = await chain.call<bigint>('TestToken', token, 'balanceOf', [merchant]);
  tell(`the merchant’s wallet holds ${formatUnits(balance - BigInt(1_000_000_000_000), 6)} USDC more than before`);
  if (paid.data.tx_hash !== txHash) throw new Error('the webhook names another transaction');

  step('Stopping everything');
}

interface Service {
  url: string;
  call<T>(method: string, path: string, body?: unknown, credential?: string): Promise<T>;
}

function spawnService(dataDir: string, chain: TestChain, token: string): ChildProcess {
  const child = spawn(process.execPath, [new URL('../server/src/main.ts', import.meta.url).pathname], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'warn',
      RPC_ETHEREUM_URLS: chain.url,
      CHAIN_ID_ETHEREUM: String(chain.chainId),
      CONFIRMATIONS_ETHEREUM: '3',
      TOKEN_USDC_ETHEREUM: token,
      PRICES: 'fixed',
      ROUTES: 'none',
    },
  });
  // A second interruption ends the demo at once.
  process.once('exit', () => child.kill('SIGTERM'));
  return child;
}

async function startService(child: ChildProcess): Promise<Service> {
  const url = await announcedUrl(child);
  return {
    url,
    async call<T>(method: string, path: string, body?: unknown, credential?: string) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(credential && { authorization: `Bearer ${credential}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as { data: T; error?: { code: string; message: string } };
      if (answer.error) throw new Error(`${method} ${path}: ${answer.error.code}: ${answer.error.message}`);
      return answer.data;
    },
  };
}

/** The address the service prints once it is ready. */
async function announcedUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const found = /API\s+(http:\/\/\S+?)\/v1/.exec(line);
    if (found?.[1]) {
      child.stdout?.resume();
      return found[1];
    }
  }
  throw new Error('the service did not start');
}

interface Event {
  type: string;
  data: { order_id: string; tx_hash: string; actual_output: string; receive_asset: string };
}

/** A merchant's server: verifies the signature of a webhook before it uses the content. */
async function startReceiver() {
  let secret = '';
  const waiting = new Map<string, (event: Event) => void>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const verified = isSigned(body, String(request.headers['service-signature']), secret);
      response.writeHead(verified ? 204 : 400).end();
      if (!verified) return tell('a webhook with a wrong signature was refused');
      const event = JSON.parse(body.toString()) as Event;
      tell(`received ${event.type}`);
      waiting.get(event.type)?.(event);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    verifyWith(given: string) {
      secret = given;
    },
    received: (type: string) => new Promise<Event>((resolve) => waiting.set(type, resolve)),
  };
}

function isSigned(body: Buffer, header: string, secret: string): boolean {
  const [, timestamp = '', given = ''] = /^t=(\d+),v1=([0-9a-f]{64})/.exec(header) ?? [];
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  return given.length === 64 && timingSafeEqual(Buffer.from(given, 'hex'), expected);
}

async function readCode(folder: string): Promise<string> {
  for (let attempt = 0; attempt < 200; attempt++) {
    // A file that is still being written has another ending.
    const names = await readdir(folder).catch(() => [] as string[]);
    const mail = names.find((name) => name.endsWith('.eml'));
    const subject = mail && /^Subject: (.*)$/m.exec(await readFile(join(folder, mail), 'utf8'))?.[1];
    if (subject) return subject.trim().split(' ').at(-1) as string;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('no mail with a code arrived');
}

let steps = 0;
function step(title: string): void {
  console.log(`\n${++steps}. ${title}`);
}
function tell(text: string): void {
  console.log(`   ${text}`);
}

const stack = new AsyncDisposableStack();
let stopped: Promise<void> | undefined;
endOnSignal(() => (stopped ??= stack.disposeAsync()));
try {
  await demo(stack);
} catch (error) {
  // What an interruption takes away fails somewhere.
  if (!stopped) throw error;
} finally {
  await (stopped ?? stack.disposeAsync());
}
if (!stopped) console.log('\nPaid directly into the merchant’s wallet. The service never held the funds.');
