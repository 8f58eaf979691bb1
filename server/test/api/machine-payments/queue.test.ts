import type { ReceiveNetwork } from '@quittance/contract';
import { type Hex, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { newId } from '../../../src/platform/ids.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../../src/platform/time.ts';
import { findPublicView } from '../../../src/resources/checkout-sessions/public-session.ts';
import { payByCredential } from '../../../src/resources/machine-payments/pay.ts';
import type { Credential, Sendable } from '../../../src/resources/machine-payments/proof.ts';
import { machinePaymentsJob } from '../../../src/resources/machine-payments/resolve.ts';
import { seal } from '../../../src/resources/machine-payments/send.ts';
import { insertCredential } from '../../../src/resources/machine-payments/store.ts';
import { prune } from '../../../src/retention/prune.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Challenge, challengeFor, machineClient, requiredIn, signX402 } from '../../support/machine-client.ts';
import { Client } from '../../../src/platform/http/admission/client.ts';

const PLACES = 32;
/** The developer's own machine has no share of anything. */
const LOOPBACK = '127.0.0.1';
const LOOK_ONCE = { prefer: 'wait=0' };
const payer = privateKeyToAccount(`0x${'42'.repeat(32)}`);
let app: TestApp;
let client: ReturnType<typeof machineClient>;

beforeAll(async () => {
  app = await startApp();
  client = machineClient(app.inject);
});
// The job takes due credentials of all sessions.
beforeEach(() => app.ctx.db.query('test_delete', `delete from machine_credentials where livemode`, []));
afterAll(() => app.stop());

test('a credential that waited in line is judged by the time at which it is judged', async () => {
  const session = await app.merchant.createSession();
  const credential = await signed(session.id);
  const view = await findPublicView(app.ctx, session.id);
  const line = gate();
  const waiting = payByCredential(line.ctx, view, credential, Client.at(LOOPBACK));
  await line.isReached;
  // A minute and a half before the session's end no signature is accepted any more.
  const left = new Date(session.expires_at).getTime() - Date.now() - 90 * SECOND_MS;
  await app.merchant.post('/test_helpers/clock/advance', { seconds: Math.floor(left / SECOND_MS) });
  line.open();
  await expect(waiting).rejects.toMatchObject({ name: 'PaymentProblemError', code: 'invalid-challenge' });
  expect((await findPublicView(app.ctx, session.id)).payment.status).toBe('created');
});

test("a hanging facilitator does not delay another network's credentials", async () => {
  const hanging = Promise.withResolvers<never>();
  const sent: string[] = [];
  const now = await app.ctx.db.now();
  const ctx = outside({ settle: () => hanging.promise, broadcast: async (signed) => sent.push(signed) > 0 });
  const validBefore = later(now, MINUTE_MS);
  const job = machinePaymentsJob();
  const turn = () => job.run(ctx, new AbortController().signal, () => {});
  for (let made = 0; made < 3; made += 1) await stored('base', { dueAt: later(now, -SECOND_MS), validBefore });
  await stored('solana', { dueAt: now, validBefore });
  const first = turn();
  await expect.poll(() => sent, { timeout: 20_000 }).toEqual(['signed']);
  // The turn ends although the facilitator still hangs, and the next one serves the other networks.
  await first;
  await stored('solana', { dueAt: now, validBefore });
  await turn();
  expect(sent).toEqual(['signed', 'signed']);
  hanging.reject(new Error('timeout'));
  await job.finish?.(ctx);
});

test('test credentials that wait for the sandbox of an account delay no live one of their network', async () => {
  const now = await app.ctx.db.now();
  const { accountId } = app.merchant;
  const moving = Promise.withResolvers<void>();
  const held = app.ctx.lines.sandboxes.inTurn(accountId, () => moving.promise);
  const settled = Promise.withResolvers<void>();
  const ctx = outside({ settle: async () => settled.resolve() });
  const dueAt = later(now, -MINUTE_MS);
  const test = await stored('base', { dueAt, validBefore: null, session: (await app.merchant.createSession()).id });
  await cloneCredential(test, 20);
  await stored('base', { dueAt: now, validBefore: later(now, MINUTE_MS) });
  const job = machinePaymentsJob();
  const turn = job.run(ctx, new AbortController().signal, () => {});
  await Promise.race([settled.promise, turn.then(() => Promise.reject(new Error('the live one was not sent')))]);
  moving.resolve();
  await Promise.all([held, turn, job.finish?.(ctx)]);
});

test('made-up hashes delay no signature and are not looked up again', async () => {
  const { db } = app.ctx;
  const now = await db.now();
  const settled: string[] = [];
  const lookedUp: string[] = [];
  const hanging = new Promise<never>(() => {});
  const settle = async () => {
    settled.push('settled');
    return { type: 'unknown', reason: 'test' };
  };
  const transaction = (hash: string) => {
    lookedUp.push(hash);
    return hanging;
  };
  const ctx = outside({ settle, transaction });
  const hash = await stored('solana', { dueAt: later(now, -MINUTE_MS), validBefore: null, kind: 'signature' });
  await cloneCredential(hash, 500);
  // Older ones of the same network come before it too.
  await cloneCredential(await stored('base', { dueAt: later(now, -MINUTE_MS), validBefore: null, kind: 'hash' }), 500);
  await stored('base', { dueAt: now, validBefore: later(now, MINUTE_MS) });
  await machinePaymentsJob().run(ctx, new AbortController().signal, () => {});
  expect([settled.length, lookedUp]).toEqual([1, []]);
});

test('a hanging network does not delay the verification on another, and its own line ends', async () => {
  const hanging = Promise.withResolvers<[]>();
  const asked = { count: 0 };
  const facilitators = app.ctx.facilitators as Map<ReceiveNetwork, unknown>;
  withChain('base', { transaction: async () => undefined, signed: { domain: async () => null } });
  withChain('polygon', { transaction: async () => undefined });
  const [slow, quick] = [await liveSession('base'), await liveSession('polygon')];
  const [slowChallenge, quickChallenge] = await Promise.all(
    [slow, quick].map(async ({ id }) => challengeFor(await client.ask(id), 'hash')),
  );
  if (!slowChallenge || !quickChallenge) throw new Error('both sessions give a challenge');
  facilitators.set('base', { kinds: () => (asked.count += 1) && hanging.promise });
  const payByHash = (sessionId: string, challenge: Challenge) =>
    client.payMpp(sessionId, challenge, { type: 'hash', hash: madeUpHash() }, LOOK_ONCE);
  try {
    const held = Array.from({ length: PLACES }, () => payByHash(slow.id, slowChallenge));
    await expect.poll(() => asked.count, { timeout: 20_000 }).toBe(PLACES);
    const waiting = payByHash(slow.id, slowChallenge);
    expect((await payByHash(quick.id, quickChallenge)).status).toBe(202);
    // Nothing is answered on the hanging network, and waiting programs are asked to retry.
    const late = await waiting;
    expect([late.status, late.headers['retry-after'], asked.count]).toEqual([429, '5', PLACES]);
    hanging.resolve([]);
    expect(new Set((await Promise.all(held)).map(({ status }) => status))).toEqual(new Set([202, 429]));
  } finally {
    hanging.resolve([]);
    facilitators.delete('base');
  }
});

test('a transaction that a program points at is looked up from the share of its client', async () => {
  const lookUps: { hash: string; budget: string; client: string | undefined }[] = [];
  withChain('base', {
    transaction: async (hash: string, _watching: unknown, { budget, client }: { budget: string; client?: Client }) => {
      lookUps.push({ hash, budget, client: client?.narrow });
    },
  });
  const session = await liveSession('base');
  const from = '203.0.113.7';
  const stranger = machineClient((method, path, input) => app.inject(method, path, { ...input, from }));
  const challenge = challengeFor(await stranger.ask(session.id), 'hash');
  const shared = { budget: 'hint', client: `client:${from}` };

  const named = madeUpHash();
  expect((await stranger.payMpp(session.id, challenge, { type: 'hash', hash: named }, LOOK_ONCE)).status).toBe(202);
  expect(lookUps).toEqual([{ hash: named, ...shared }]);

  // A credential that does not answer the offer may have been carried out before the records were restored.
  const earlier = madeUpHash();
  const credential: Credential = {
    protocol: 'mpp',
    sessionId: session.id,
    challenge: { ...challenge, method: 'evm', intent: 'charge', expires: new Date(0).toISOString() },
    payload: { type: 'hash', hash: earlier },
  };
  const view = await findPublicView(app.ctx, session.id);
  await expect(payByCredential(app.ctx, view, credential, Client.at(from))).rejects.toMatchObject({
    name: 'PaymentProblemError',
  });
  expect(lookUps.slice(1)).toEqual([{ hash: earlier, ...shared }]);
});

test('an authorization whose end has passed is not sent any more', async () => {
  let asked = 0;
  const now = await app.ctx.db.now();
  const ctx = outside({
    settle: async () => {
      asked += 1;
      return { type: 'unknown', reason: 'test' };
    },
  });
  // No final block is past the end yet, so the authorization is not void.
  withHead(ctx, { number: 10n, safe: 10n, finalized: 10n });
  const turn = () => machinePaymentsJob().run(ctx, new AbortController().signal, () => {});
  await stored('base', { dueAt: now, validBefore: later(now, -SECOND_MS) });
  await turn();
  expect(asked).toBe(0);

  // One that has not ended is sent under the same conditions.
  await stored('base', { dueAt: now, validBefore: later(now, MINUTE_MS) });
  await turn();
  expect(asked).toBe(1);
});

test('a made-up hash does not keep a checkout that was never paid', async () => {
  withChain('base', { transaction: async () => undefined });
  const session = await liveSession('base');
  const challenge = challengeFor(await client.ask(session.id), 'hash');
  const hash = madeUpHash();
  expect((await client.payMpp(session.id, challenge, { type: 'hash', hash }, LOOK_ONCE)).status).toBe(202);
  const { db } = app.ctx;
  const [{ paymentId } = { paymentId: '' }] = await db.query<{ paymentId: string }>(
    'test_age',
    `update payments set status = 'expired', sequence = sequence + 1, expires_at = $2, ended_at = $2
      where session_id = $1 returning id as "paymentId"`,
    [session.id, later(await db.now(), -400 * DAY_MS)],
  );
  await db.query('test_hints', `update transaction_hints set expires_at = $2 where payment_id = $1`, [
    paymentId,
    later(await db.now(), -DAY_MS),
  ]);
  await db.query('test_due', `update machine_credentials set due_at = created_at where payment_id = $1`, [paymentId]);
  await machinePaymentsJob().run(app.ctx, new AbortController().signal, () => {});
  // The first pass deletes the transaction's hint, the second one what the hint kept.
  for (let pass = 0; pass < 2; pass += 1) await prune(app.ctx, new AbortController().signal);
  const tables = ['machine_credentials', 'transaction_hints', 'payment_targets', 'reserved_amounts', 'payment_states'];
  const counts = tables.map((table) => `(select count(*)::integer from ${table} where payment_id = $1)`).join(' + ');
  const left = `${counts} + (select count(*)::integer from payments where id = $1)`;
  const sessions = `(select count(*)::integer from checkout_sessions where id = $2)`;
  expect(await db.query('test_left', `select ${left} + ${sessions} as rows`, [paymentId, session.id])).toEqual([
    { rows: 0 },
  ]);
});

function madeUpHash(): Hex {
  return toHex(crypto.getRandomValues(new Uint8Array(32)));
}

async function signed(sessionId: string): Promise<Credential> {
  const [accepted] = requiredIn(await client.ask(sessionId)).accepts;
  const { payload } = await signX402(accepted, payer);
  return { protocol: 'x402', sessionId, accepted, payload };
}

/** Holds a request at its first look-up after it was found to be new. */
function gate() {
  const opened = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const { db } = app.ctx;
  const stop = async () => {
    reached.resolve();
    await opened.promise;
  };
  const held = {
    transaction: db.transaction.bind(db),
    notify: db.notify.bind(db),
    async query(name: string, sql: string, values?: readonly unknown[]) {
      if (name !== 'find_machine_credential') await stop();
      return db.query(name, sql, values);
    },
    async now() {
      await stop();
      return db.now();
    },
  };
  return {
    ctx: { ...app.ctx, db: held } as unknown as Context,
    isReached: reached.promise,
    open: () => opened.resolve(),
  };
}

function withHead(ctx: Context, head: { number: bigint; safe: bigint; finalized: bigint }): void {
  Object.assign(ctx.chains.get('base') as object, { head: async () => head, block: async () => undefined });
}

/** The service with a facilitator on Base and a chain on Solana that the test controls. */
function outside(parts: {
  settle?: () => Promise<unknown>;
  broadcast?: (signed: string) => Promise<boolean>;
  transaction?: (hash: string) => Promise<undefined>;
}): Context {
  return {
    ...app.ctx,
    facilitators: new Map([['base', { name: 'test', settle: parts.settle }]]),
    chains: new Map([
      ['base', { transaction: parts.transaction }],
      ['solana', { broadcast: parts.broadcast, transaction: parts.transaction }],
    ]),
  } as unknown as Context;
}

/** Makes a network reachable that the test controls. */
function withChain(network: ReceiveNetwork, parts: object): void {
  const chain = {
    health: () => ({ reachable: true }),
    accountKindOf: async () => null,
    close: async () => {},
    ...parts,
  };
  (app.ctx.chains as Map<ReceiveNetwork, unknown>).set(network, chain);
}

/** Into a separate wallet, for which amounts are reserved. */
async function liveSession(network: 'base' | 'polygon' | 'solana') {
  const merchant = await app.newMerchant({ mode: 'live' });
  const address = network === 'solana' ? SOLANA_ADDRESS : privateKeyToAccount(generatePrivateKey()).address;
  await merchant.createWallet({ network, address });
  return merchant.createSession();
}

/** A credential that was stored and not sent, of a new live checkout or of a given one of test mode. */
async function stored(
  network: 'base' | 'solana',
  {
    dueAt,
    validBefore,
    kind,
    session,
  }: { dueAt: Date; validBefore: Date | null; kind?: 'hash' | 'signature'; session?: string },
): Promise<string> {
  const { payment } = await findPublicView(app.ctx, session ?? (await liveSession(network)).id);
  const id = newId('mc');
  const txHash = kind === undefined ? null : madeUpHash();
  const sendable: Sendable = txHash
    ? { type: 'look', txHash }
    : network === 'solana'
      ? { type: 'broadcast', signed: 'signed' }
      : { type: 'settle', payload: {}, requirements: {} as never, resourceUrl: 'https://pay.example.com' };
  await insertCredential(
    app.ctx.db,
    {
      id,
      paymentId: payment.id,
      livemode: session === undefined,
      network,
      protocol: 'x402',
      kind: kind ?? (network === 'solana' ? 'transaction' : 'authorization'),
      replayKey: Buffer.from(crypto.getRandomValues(new Uint8Array(32))),
      payer: null,
      token: null,
      nonce: null,
      accountNonce: null,
      validBefore,
      txHash,
      credential: seal(app.ctx, id, sendable),
      challengeId: null,
      createdAt: later(dueAt, -MINUTE_MS),
    },
    dueAt,
  );
  return id;
}

async function cloneCredential(id: string, times: number): Promise<void> {
  await app.ctx.db.query(
    'test_clone_credentials',
    `
    insert into machine_credentials
    select (jsonb_populate_record(c, jsonb_build_object('id', c.id || n, 'due_at', c.due_at + interval '1 second',
      'replay_key', '\\x' || md5(c.id || n) || md5(n || c.id)))).*
      from machine_credentials c, generate_series(1, $2) n where c.id = $1`,
    [id, times],
  );
}

const SOLANA_ADDRESS = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';
