import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { Client } from '../../../src/platform/http/admission/client.ts';
import { newId } from '../../../src/platform/ids.ts';
import { DAY_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { findPublicView } from '../../../src/resources/checkout-sessions/public-session.ts';
import { payByCredential } from '../../../src/resources/machine-payments/pay.ts';
import { machinePaymentsJob } from '../../../src/resources/machine-payments/resolve.ts';
import { seal } from '../../../src/resources/machine-payments/send.ts';
import {
  findCredentialById,
  findCredentialsOf,
  insertCredential,
} from '../../../src/resources/machine-payments/store.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { machineClient, requiredIn, signX402 } from '../../support/machine-client.ts';
import { arrive, transferTo } from '../../support/transfers.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a signature for the whole price is refused once a part has arrived since its offer', async () => {
  const session = await app.merchant.createSession();
  const [accepted] = requiredIn(await machineClient(app.inject).ask(session.id)).accepts;
  const { payload } = await signX402(accepted, privateKeyToAccount(`0x${'42'.repeat(32)}`));
  const credential = { protocol: 'x402' as const, sessionId: session.id, accepted, payload };
  const view = await findPublicView(app.ctx, session.id);
  const body = { pay_asset: 'USDC', pay_network: 'base', outcome: 'underpaid' };
  const ctx = beforeItIsStored(() => app.merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, body));
  await expect(payByCredential(ctx, view, credential, Client.at('127.0.0.1'))).rejects.toMatchObject({
    name: 'PaymentProblemError',
    code: 'payment-in-progress',
  });
  expect(await findCredentialsOf(app.ctx.db, view.payment.id)).toEqual([]);
  // The rest is offered.
  const [rest] = requiredIn(await machineClient(app.inject).ask(session.id)).accepts;
  expect(2n * BigInt(rest.amount)).toBeLessThan(BigInt(accepted.amount) + 1_000_000n);
});

test.each<[what: string, found: Partial<Transfer>[], isStored: boolean, state: 'open' | 'void']>([
  ['pays another address', [], false, 'void'],
  ['pays the wallet from another payer', [{ from: 'stranger' }], false, 'void'],
  ['is known to pay the wallet from another payer', [{ from: 'stranger' }], true, 'void'],
  ['pays the wallet from its payer', [{ from: PAYER() }], false, 'open'],
  ['is known to pay the wallet from its payer', [{ from: PAYER() }], true, 'open'],
])('a signed transaction on Solana whose end has passed: the hash that the facilitator names %s', async (...facts) => {
  const [, found, isStored, state] = facts;
  const merchant = await app.newMerchant({ mode: 'live' });
  await merchant.createWallet({ network: 'solana', address: WALLET });
  const { payment } = await findPublicView(app.ctx, (await merchant.createSession()).id);
  const txHash = `hash${newId('mc')}`;
  const at = { network: 'solana' as const, txHash };
  const transfers = found.map((fields) => transferTo(WALLET, { ...at, ...fields }));
  if (isStored) for (const transfer of transfers) await arrive(app.ctx, transfer);
  const id = await stored(payment.id, txHash);
  const ctx = await readPastTheEnd({ transaction: async () => ({ provider: 'a', transfers, reverted: null }) });
  await machinePaymentsJob().run(ctx, new AbortController().signal, () => {});
  await expect.poll(async () => (await findCredentialById(app.ctx.db, id))?.attempts).toBe(1);
  expect((await findCredentialById(app.ctx.db, id))?.state).toBe(state);
  await app.ctx.db.query('test_delete', `delete from machine_credentials where id = $1`, [id]);
});

/** The service, which does this before it opens its first transaction. */
function beforeItIsStored(first: () => Promise<unknown>): Context {
  const { db } = app.ctx;
  let done: Promise<unknown> | undefined;
  const held = {
    query: db.query.bind(db),
    notify: db.notify.bind(db),
    now: db.now.bind(db),
    transaction: async (...asked: Parameters<typeof db.transaction>) => {
      await (done ??= first());
      return db.transaction(...asked);
    },
  };
  return { ...app.ctx, db: held } as unknown as Context;
}

/** An x402 credential whose end has passed, and of which the facilitator has named a transaction. */
async function stored(paymentId: string, txHash: string): Promise<string> {
  const id = newId('mc');
  const createdAt = later(await app.ctx.db.now(), -20 * MINUTE_MS);
  const sendable = {
    type: 'settle' as const,
    payload: {},
    requirements: {} as never,
    resourceUrl: 'https://a.example',
  };
  await insertCredential(
    app.ctx.db,
    {
      id,
      paymentId,
      livemode: true,
      network: 'solana',
      protocol: 'x402',
      kind: 'transaction',
      replayKey: Buffer.from(crypto.getRandomValues(new Uint8Array(32))),
      payer: PAYER(),
      token: 'mint',
      nonce: null,
      accountNonce: null,
      validBefore: later(createdAt, 10 * MINUTE_MS),
      txHash,
      credential: seal(app.ctx, id, sendable),
      challengeId: null,
      createdAt,
    },
    createdAt,
  );
  return id;
}

/** Solana is read up to now, and all its blocks are final. */
async function readPastTheEnd(parts: object): Promise<Context> {
  const { db } = app.ctx;
  const now = await db.now();
  await db.query(
    'test_covered',
    `insert into chain_cursors (network, pass, block_number, block_hash, block_time)
     select 'solana', pass, 10, 'hash', $1 from unnest(array['first', 'second']) pass
         on conflict (network, pass) do update set block_time = excluded.block_time`,
    [later(now, DAY_MS)],
  );
  const head = { number: 10n, hash: 'hash', time: now, safe: 10n, finalized: 10n };
  const chain = { head: async () => head, block: async () => ({ number: 10n, hash: 'hash', time: now }), ...parts };
  return { ...app.ctx, chains: new Map([['solana', chain]]) } as unknown as Context;
}

const WALLET = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';
/** A function, because the cases stand above it. */
function PAYER(): string {
  return '48vBEMJiZWpPWdgu3N38JrbccFfxauyduS39Un4C7Gcu';
}
