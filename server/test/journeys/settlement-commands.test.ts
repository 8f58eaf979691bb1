import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findRunningDatabase } from '../../src/platform/db/embedded/embedded.ts';
import { startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { newDataDirectory } from '../support/data-directory.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { bundledService } from '../support/service-bundle.ts';
import { endProcess, runToEnd } from '../support/service-process.ts';
import { QUIET } from '../support/settings.ts';

// Whole processes are started here.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let chain: TestChain;
let provider: RpcProxy;
let usdc: Address;
let batcher: Address;
let dataDir: string;
let service: ChildProcess;
let url: string;
let token: string;
let database: pg.Client;

/** A service as `npm start` runs it, with the database in its data directory, and a merchant with a live wallet. */
beforeAll(async () => {
  chain = await startAnvil();
  provider = await startRpcProxy(chain.url);
  usdc = await chain.deployToken();
  batcher = await chain.deploy('Batcher');
  await chain.transferErc20({ token: usdc, to: batcher, amount: 1_000_000_000n });
  dataDir = await newDataDirectory();
  service = spawn(process.execPath, [(await bundledService()).command, 'start'], {
    env: settings({ RPC_ETHEREUM_URLS: provider.url }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  url = await printed(service);
  database = new pg.Client({ connectionString: await findRunningDatabase(dataDir) });
  await database.connect();

  const [, , merchant] = chain.accounts;
  if (!merchant) throw new Error('account not found');
  const { nonce } = await call('/auth/nonce', { address: merchant.address });
  ({ session_token: token } = await call('/auth/verify', {
    address: merchant.address,
    signature: await merchant.signMessage({ message: nonce }),
  }));
});
afterAll(async () => {
  await database?.end();
  if (service) await endProcess(service);
  await provider?.stop();
  await chain?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('rescan beside the running service finds what its provider kept back, once, and reports its progress', async () => {
  const from = (await chain.head()).number + 1n;
  const { paymentId } = await payUnseen();

  const first = await command('rescan', ['ethereum', '--from', String(from)]);
  expect(first).toMatchObject({ code: 0, errors: '' });
  expect(first.output).toMatch(/^block \d+ of \d+, 1 new\n/);
  expect(first.output).toContain('Done: one new transfer.');
  expect(await statusOf(paymentId)).toBe('paid');

  const second = await command('rescan', ['ethereum', '--from', String(from)]);
  expect(second.output).toContain('Done: 0 new transfers.');
  expect(await eventsOf(paymentId)).toEqual(['payment.created', 'payment.pending', 'payment.paid']);
});

test('reconcile beside the running service settles one transaction, and says the same when it is repeated', async () => {
  const { paymentId, txHash } = await payUnseen();
  for (let round = 0; round < 2; round += 1) {
    const { code, output } = await command('reconcile', [paymentId, '--tx', txHash]);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(
        new RegExp(`^USDC transfer tr_\\w+: final, attributed to ${paymentId} by amount\nThe payment is paid.\n$`),
      ),
    });
  }
  expect(await eventsOf(paymentId)).toEqual(['payment.created', 'payment.pending', 'payment.paid']);
});

test('explain says what happened to a payment, by its id or that of its checkout, and how its network is', async () => {
  const { paymentId, txHash } = await payUnseen();
  const { output: before } = await command('explain', [paymentId]);
  expect(before.split('\n')[0]).toMatch(
    new RegExp(`^${paymentId} of acc_\\w+: pending, 49.00 USD in live mode, to receive USDC on ethereum$`),
  );
  expect(before).toMatch(/^\S+Z {2}Asked the customer for exactly 49\.0\d+ USDC\.$/m);
  expect(before).toMatch(
    /^ethereum: reachable, read until \d+ s ago\nethereum 127\.0\.0\.1:\d+: last answered \d{4}-/m,
  );

  await command('reconcile', [paymentId, '--tx', txHash]);
  const { rows } = await database.query('select session_id from payments where id = $1', [paymentId]);
  const { code, output } = await command('explain', [rows[0].session_id]);
  expect(code).toBe(0);
  expect(output).toMatch(new RegExp(`USDC received\\. {2}${txHash}$`, 'm'));
  expect(output).toContain('The payment became paid.');
  expect(await command('explain', [`cs_${'0'.repeat(24)}`])).toMatchObject({ code: 1, output: '' });
});

test('reconcile says what it cannot do in a sentence', async () => {
  expect(await command('reconcile', [`pay_${'0'.repeat(24)}`, '--tx', `0x${'1'.repeat(64)}`])).toMatchObject({
    code: 1,
    errors: expect.not.stringMatching(/^\s+at /m),
  });
  expect(await command('rescan', ['atlantis', '--from', '1'])).toMatchObject({
    code: 2,
    errors: expect.stringMatching(/one of ethereum, .*\nquittance-server rescan <network> --from/),
  });
});

test('an extra word, an unknown option or no command prints the usage', async () => {
  expect(await command('rescan', ['ethereum', '--since', '1'])).toMatchObject({
    code: 2,
    errors: expect.stringContaining('quittance-server rescan <network>'),
  });
  expect(await command('refund')).toMatchObject({ code: 2, errors: expect.stringContaining('doctor') });
  expect(await command('help')).toMatchObject({ code: 0, output: expect.stringContaining('migrate [--plan]') });
});

test('migrate --plan beside the running service lists nothing where the schema is up to date', async () => {
  expect(await command('migrate', ['--plan'])).toEqual({ code: 0, output: 'The schema is up to date.\n', errors: '' });
});

test('migrate --plan beside the running service lists what it would apply, and applies nothing', async () => {
  const { rows } = await database.query(
    'delete from schema_migrations where name >= (select max(name) from schema_migrations) returning *',
  );
  const output = `Would apply ${rows[0].name}.\n`;
  try {
    for (let times = 0; times < 2; times += 1)
      expect(await command('migrate', ['--plan'])).toEqual({ code: 0, output, errors: '' });
  } finally {
    await database.query(
      'insert into schema_migrations select (jsonb_populate_record(null::schema_migrations, $1::jsonb)).*',
      [JSON.stringify(rows[0])],
    );
  }
});

test('the doctor finds a provider of the right chain well, and says what to do about one that does not answer', async () => {
  const { code, output } = await command('doctor');
  expect(output).toMatch(/^ok +database +PostgreSQL 18/m);
  expect(output).toMatch(/^ok +schema +up to date/m);
  expect(output).toMatch(/^ok +ethereum 127\.0\.0\.1:\d+ +block \d+, \d+ ms/m);
  expect(output).toMatch(/^warning +ethereum +one provider: it settles alone and without a limit/m);
  expect(output).toMatch(/^ok +base +switched off/m);
  expect(output).toMatch(/^ok +prices +the fixed ones/m);
  expect(code).toBe(0);

  const broken = await command('doctor', [], { RPC_BASE_URLS: 'http://127.0.0.1:9' });
  expect(broken.output).toMatch(/^failed +base 127\.0\.0\.1:9 /m);
  expect(broken.output).toMatch(/^failed +base +no provider works/m);
  expect(broken.output).toMatch(/^2 checks failed\.\n$/m);
  expect(broken).toMatchObject({ code: 1, errors: '' });
});

test('a backup is taken beside the running service; restoring it is refused while the service runs, with --force too', async () => {
  const file = join(dataDir, 'backup');
  expect(await command('backup', [file])).toMatchObject({
    code: 0,
    errors: '',
    output: expect.stringMatching(/ MB\.$/m),
  });
  expect(await command('backup', [file])).toMatchObject({ code: 1, errors: expect.stringContaining('exists already') });
  for (const options of [[], ['--force']])
    expect(await command('restore', [file, ...options])).toMatchObject({
      code: 1,
      errors: expect.stringContaining('A service is running on'),
    });
  expect(await command('restore-check')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('--from is required'),
  });
});

test('with the service stopped, the same commands work on its database alone', async () => {
  await database.end();
  expect(await endProcess(service)).toBe(0);
  const { code, output, errors } = await command('rescan', ['ethereum', '--from', '1']);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toContain('Done: 0 new transfers.');
  expect(await findRunningDatabase(dataDir)).toBeUndefined();
});

test('a database that is there is restored over with --force only, and is kept', async () => {
  const file = join(dataDir, 'backup');
  expect(await command('restore', [file])).toMatchObject({ code: 1, errors: expect.stringContaining('With --force') });
  const { code, output, errors } = await command('restore', [file, '--force']);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toMatch(/^The database that was there is now .*postgres\.before-/);
  expect(await command('restore-check')).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /^ethereum: 0 new, the watcher is \d+ blocks behind$[\s\S]*^Nothing needs a person\.$/m,
    ),
  });
});

/** A payment through a contract that the service has read past, because its provider withheld every log. */
async function payUnseen(): Promise<{ paymentId: string; txHash: string }> {
  const session = await call('/checkout/sessions', { amount: '49.00' });
  const { payment } = await call(`/public/checkout/sessions/${session.id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'ethereum',
  });
  await read(await mined());

  provider.suffer('empty_results');
  const txHash = await chain.batch(batcher, [
    { target: usdc, data: transferCalldata(payment.address, BigInt(payment.amount.replace('.', ''))) },
  ]);
  await read(await mined());
  provider.suffer(null);
  const {
    rows: [row],
  } = await database.query<{ payment_id: string; status: string; transfers: string }>(
    `
    select s.payment_id, p.status, (select count(*) from transfers where payment_id = p.id) as transfers
      from checkout_sessions s join payments p on p.session_id = s.id where s.id = $1`,
    [session.id],
  );
  expect(row).toMatchObject({ status: 'pending', transfers: '0' });
  return { paymentId: row?.payment_id ?? '', txHash };
}

async function mined(): Promise<bigint> {
  await chain.mine(3);
  return (await chain.head()).number;
}

/** Until the service's watcher has read this block. */
async function read(block: bigint): Promise<void> {
  await expect
    .poll(
      async () => {
        const {
          rows: [row],
        } = await database.query<{ block_number: string }>(
          `select block_number from chain_cursors where network = 'ethereum' and pass = 'first'`,
        );
        return BigInt(row?.block_number ?? 0) >= block;
      },
      { timeout: 60_000, interval: 50 },
    )
    .toBe(true);
}

async function statusOf(paymentId: string): Promise<string> {
  return (await call(`/payments/${paymentId}`)).status;
}

async function eventsOf(paymentId: string): Promise<string[]> {
  const { rows } = await database.query<{ type: string }>(
    'select type from events where object_id = $1 order by sequence',
    [paymentId],
  );
  return rows.map((row) => row.type);
}

/** Runs an operator's command, which reads the chain itself. */
async function command(name: string, args: string[] = [], more: Record<string, string> = {}) {
  const env = settings({ RPC_ETHEREUM_URLS: chain.url, LOG_LEVEL: 'error', ...more });
  return runToEnd([(await bundledService()).command, name, ...args], env);
}

function settings(more: Record<string, string>): NodeJS.ProcessEnv {
  return {
    ...QUIET,
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: '0',
    CHAIN_ID_ETHEREUM: String(chain.chainId),
    TOKEN_USDC_ETHEREUM: usdc,
    CONFIRMATIONS_ETHEREUM: '2',
    ...more,
  };
}

/** The address that the service prints once it serves. */
async function printed(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    said += chunk;
    const [, address] = /API\s+(http:\S+\/v1)/.exec(said) ?? [];
    if (address) return address;
  }
  throw new Error(`the service printed: ${said}`);
}

async function call(path: string, body?: object): Promise<any> {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'content-type': 'application/json',
      'service-mode': 'live',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { data?: unknown; error?: unknown };
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}
