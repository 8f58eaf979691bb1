import { base58, base64 } from '@scure/base';
import type { KeyPairSigner } from '@solana/kit';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { later, MINUTE_MS } from '../../src/platform/time.ts';
import { findPublicView } from '../../src/resources/checkout-sessions/public-session.ts';
import { buildOffer } from '../../src/resources/machine-payments/build-offer.ts';
import { challengesOf, typesOf } from '../../src/resources/machine-payments/mpp.ts';
import { payByCredential } from '../../src/resources/machine-payments/pay.ts';
import { authorizationCall } from '../support/authorizations.ts';
import {
  type Challenge,
  challengeFor,
  challengesIn,
  requestOf,
  requiredIn,
  signX402,
} from '../support/machine-client.ts';
import { type MachineShop, signTransaction, startMachineShop } from '../support/machine-shop.ts';
import type { TestAnswer } from '../support/inject.ts';
import { TOKEN_PROGRAM } from '../support/solana/index.ts';
import { type SolanaMachineShop, startSolanaMachineShop } from '../support/solana/machine-shop.ts';
import { memo, signAndEncode, tokenTransfer } from '../support/solana/transactions.ts';
import { Client } from '../../src/platform/http/admission/client.ts';

/**
 * A restored older backup lacks the records of credentials that moved money, and the amounts that were reserved since.
 * The tests make the money arrive while neither is known.
 */
const LOOK_ONCE = { prefer: 'wait=0' };
const DO_NOT_PAY_AGAIN = [409, 'https://paymentauth.org/problems/payment-in-progress', false];
const PAY_AGAIN = (problem: string) => [402, `https://paymentauth.org/problems/${problem}`, true];
type Shop = Pick<MachineShop | SolanaMachineShop, 'app' | 'client' | 'session'>;

describe('on an Ethereum-compatible network', () => {
  let shop: MachineShop;
  let [alice, bob]: PrivateKeyAccount[] = [];
  beforeAll(async () => {
    shop = await startMachineShop();
    [alice, bob] = shop.payers as [PrivateKeyAccount, PrivateKeyAccount];
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test('an authorization that moved money is refused without a new offer', async () => {
    const session = await shop.session();
    await shop.client.ask(session.id);
    await loseAmount(shop, session.id);
    const [accepted] = requiredIn(await shop.client.ask(session.id)).accepts;
    const signed = await signX402(accepted, payer());
    await carryOut(signed);
    expect(outcomeOf(await shop.client.payX402(session.id, signed, LOOK_ONCE))).toEqual(DO_NOT_PAY_AGAIN);
  });

  test('an authorization that moved money and has ended since is refused without a new offer', async () => {
    const session = await shop.session();
    await shop.client.ask(session.id);
    await loseAmount(shop, session.id);
    const [accepted] = requiredIn(await shop.client.ask(session.id)).accepts;
    // Too soon to be taken, and long enough to be mined.
    const signed = await signX402(accepted, payer(), { validBefore: String(Math.floor(Date.now() / 1000) + 5) });
    expect(outcomeOf(await shop.client.payX402(session.id, signed))).toEqual(PAY_AGAIN('payment-expired'));
    await carryOut(signed);
    expect(outcomeOf(await shop.client.payX402(session.id, signed))).toEqual(DO_NOT_PAY_AGAIN);
  });

  test('a mined transaction is refused without a new offer, though the offer has changed', async () => {
    const { session, challenge, payload } = await minedTransaction();
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(DO_NOT_PAY_AGAIN);
  });

  test('a transaction whose nonce it used itself is refused without a new offer, though the offer is the same', async () => {
    const { session, challenge, payload, returnAmount } = await minedTransaction();
    await returnAmount();
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(DO_NOT_PAY_AGAIN);
  });

  test('a transaction whose money the merchant marked as handled can be paid again', async () => {
    const { session, challenge, payload, hash } = await minedTransaction();
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(DO_NOT_PAY_AGAIN);
    const { data } = await shop.merchant.get('/transfers?unattributed=true');
    const transfer = data.find(({ tx_hash }: { tx_hash: string }) => tx_hash === hash);
    await shop.merchant.dashboard.post(`/transfers/${transfer.id}/handle`);
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(PAY_AGAIN('invalid-challenge'));
  });

  test('a transaction whose nonce another one used can be paid again', async () => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    const payload = await signTransaction(shop.chain, challenge, payer());
    const hash = await shop.chain.sendEth({ from: payer().address, to: bob?.address as never, amount: 1n });
    await shop.chain.included(hash);
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(
      PAY_AGAIN('verification-failed'),
    );
  });

  test('a transaction that was mined and moved nothing can be paid again', async () => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    // More than the payer has, so the token rejects it.
    const request = Buffer.from(JSON.stringify({ ...requestOf(challenge), amount: `1${'0'.repeat(15)}` }));
    const payload = await signTransaction(
      shop.chain,
      { ...challenge, request: request.toString('base64url') },
      payer(),
    );
    await broadcast(payload);
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(
      PAY_AGAIN('verification-failed'),
    );
  });

  test('the hash of a transaction whose money no payment has is refused without a new offer', async () => {
    const { session, hash } = await minedTransaction();
    const challenge = await challengeOfEarlier(shop, session.id, 'hash');
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, { type: 'hash', hash }))).toEqual(
      DO_NOT_PAY_AGAIN,
    );
  });

  test('the hash of a transaction that pays another checkout, and a made-up one, can be paid again', async () => {
    const [mine, theirs] = [await shop.session(), await shop.session()];
    const amount = BigInt(requestOf(challengeFor(await shop.client.ask(theirs.id), 'hash')).amount);
    const own = challengeFor(await shop.client.ask(mine.id), 'hash');
    const hash = await shop.chain.transferErc20({ token: shop.usdc, to: shop.wallet, amount });
    await shop.chain.included(hash);
    await expect.poll(() => shop.rulesOf(theirs.id), { timeout: 20_000 }).toEqual(['amount']);
    const challenge = await challengeOfEarlier(shop, mine.id, 'hash');
    expect(challenge.request).toBe(own.request);
    for (const one of [hash, `0x${'ab'.repeat(32)}`])
      expect(outcomeOf(await shop.client.payMpp(mine.id, challenge, { type: 'hash', hash: one }))).toEqual(
        PAY_AGAIN('payment-expired'),
      );
  });

  const payer = () => alice as PrivateKeyAccount;

  /** A transaction that was mined while its session had no reserved amount, so that no payment has its money. */
  async function minedTransaction() {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    const returnAmount = await loseAmount(shop, session.id);
    const payload = await signTransaction(shop.chain, challenge, payer());
    const hash = await broadcast(payload);
    await expect.poll(() => isUnattributed(shop, hash), { timeout: 20_000 }).toBe(true);
    return { session, challenge, payload, hash, returnAmount };
  }

  async function broadcast(payload: unknown): Promise<`0x${string}`> {
    const { signature } = payload as { signature: string };
    const hash = await shop.chain.rpc<`0x${string}`>('eth_sendRawTransaction', [signature]);
    await shop.chain.included(hash);
    return hash;
  }

  async function carryOut({ payload: { signature, authorization } }: any): Promise<void> {
    const data = authorizationCall({
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      signature,
    });
    const before = await shop.balance(shop.wallet);
    await shop.chain.send({ from: bob?.address as never, to: shop.usdc, data, mine: false, gas: 200_000n });
    await expect.poll(() => shop.balance(shop.wallet)).toBeGreaterThan(before);
  }
});

describe('on Solana', () => {
  let shop: SolanaMachineShop;
  beforeAll(async () => {
    shop = await startSolanaMachineShop(() => async () => Promise.reject(new Error('not asked')));
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test('a mined transaction is refused without a new offer, though the amount is not reserved any more', async () => {
    const { session, challenge, transaction } = await minedTransaction();
    const payload = { type: 'transaction', transaction };
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(DO_NOT_PAY_AGAIN);
  });

  test('a mined transaction is refused without a new offer, though the offer is the same', async () => {
    const { session, challenge, transaction, returnAmount } = await minedTransaction();
    await returnAmount();
    const payload = { type: 'transaction', transaction };
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(DO_NOT_PAY_AGAIN);
  });

  test('the signature of a transaction whose money no payment has is refused without a new offer', async () => {
    const { session, signature } = await minedTransaction();
    const challenge = await challengeOfEarlier(shop, session.id, 'signature');
    const payload = { type: 'signature', signature };
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(DO_NOT_PAY_AGAIN);
  });

  test('a made-up signature can be paid again', async () => {
    const session = await shop.session();
    const challenge = await challengeOfEarlier(shop, session.id, 'signature');
    const payload = { type: 'signature', signature: `${'1'.repeat(63)}7` };
    expect(outcomeOf(await shop.client.payMpp(session.id, challenge, payload))).toEqual(PAY_AGAIN('payment-expired'));
  });

  test('a transaction for a facilitator can be paid again only once the network is read up to now', async () => {
    const session = await shop.session();
    const { ctx } = shop.app;
    const [accepted] = requiredIn(await shop.client.ask(session.id)).accepts;
    // The payer has no money, so the network does not carry it out.
    const payer = await shop.cluster.newWallet();
    const { transaction } = await sign(accepted.payTo, accepted.amount, { payer, sponsored: accepted.extra.memo });
    const pay = async (now: Context) =>
      payByCredential(
        now,
        await findPublicView(now, session.id),
        { protocol: 'x402', sessionId: session.id, accepted, payload: { transaction } },
        Client.at('127.0.0.1'),
      );
    await expect(pay(readUpTo(ctx, later(new Date(), -60 * MINUTE_MS)))).rejects.toMatchObject({
      code: 'payment-in-progress',
    });
    await expect(pay(readUpTo(ctx, new Date()))).rejects.toMatchObject({ code: 'verification-failed' });
  });

  /** A transaction without a memo, mined while its session had no reserved amount. */
  async function minedTransaction() {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    const returnAmount = await loseAmount(shop, session.id);
    const { recipient, amount } = requestOf(challenge);
    const { transaction, signature } = await sign(recipient, amount);
    await shop.app.ctx.chains.get('solana')?.broadcast?.(transaction);
    await expect.poll(() => isUnattributed(shop, signature), { timeout: 20_000 }).toBe(true);
    return { session, challenge, transaction, signature, returnAmount };
  }

  /** Signed by the payer, and by the sponsor only if none is named by its memo. */
  async function sign(
    to: string,
    amount: string,
    { payer = shop.payer, sponsored }: { payer?: KeyPairSigner; sponsored?: string } = {},
  ): Promise<{ transaction: string; signature: string }> {
    const transfer = tokenTransfer({
      source: await shop.cluster.tokenAccount(shop.usdc, payer.address),
      mint: shop.usdc,
      destination: await shop.cluster.tokenAccount(shop.usdc, to),
      authority: payer,
      amount: BigInt(amount),
      decimals: 6,
      program: TOKEN_PROGRAM as never,
    });
    const feePayer = sponsored === undefined ? payer : shop.sponsor;
    const options = { feePayer, tables: [], legacy: false };
    const wire = await signAndEncode(shop.cluster.ledger, [...memo(sponsored), transfer], options);
    const signature = base58.encode(wire.subarray(1, 65));
    // A facilitator signs as the fee payer later.
    if (sponsored !== undefined) wire.fill(0, 1, 65);
    return { transaction: base64.encode(wire), signature };
  }
});

/** The status and problem of an answer, and whether it offers to pay. */
function outcomeOf({ status, body, headers, ...answer }: TestAnswer): unknown[] {
  const isOffered = challengesIn({ ...answer, status, body, headers }).length > 0 || 'payment-required' in headers;
  return [status, body.type, isOffered];
}

/** Takes a session's reserved amount away, as if the backup were older than it; the answer brings it back. */
async function loseAmount({ app }: Shop, sessionId: string): Promise<() => Promise<void>> {
  const { db } = app.ctx;
  const rows = await db.query<{ row: object }>(
    'test_lose_amount',
    `delete from reserved_amounts r using payments p where p.id = r.payment_id and p.session_id = $1 returning to_jsonb(r) as row`,
    [sessionId],
  );
  return async () => {
    const sql = `insert into reserved_amounts select (jsonb_populate_record(null::reserved_amounts, $1::jsonb)).*`;
    for (const { row } of rows) await db.query('test_return_amount', sql, [JSON.stringify(row)]);
  };
}

/** Whether the watcher has read a transaction that no payment has. */
async function isUnattributed({ app }: Shop, txHash: string): Promise<boolean> {
  const rows = await app.ctx.db.query(
    'test_unattributed',
    `select from transfers where tx_hash = $1 and payment_id is null and not queued`,
    [txHash],
  );
  return rows.length > 0;
}

/** What the session was offered ten minutes ago. */
async function challengeOfEarlier({ app: { ctx } }: Shop, sessionId: string, type: string): Promise<Challenge> {
  const offer = await buildOffer(ctx, await findPublicView(ctx, sessionId), null);
  const earlier = { ...offer, isReserved: true, now: later(offer.now, -10 * MINUTE_MS) };
  const found = challengesOf(earlier, ctx.secrets).find((one) => typesOf(one).includes(type));
  if (!found) throw new Error(`no challenge takes ${type}`);
  return found;
}

function readUpTo(ctx: Context, time: Date): Context {
  const query = async (name: string, sql: string, values?: readonly unknown[]) =>
    name === 'find_coverage'
      ? [{ network: 'solana', pass: 'first', blockTime: time }]
      : ctx.db.query(name, sql, values);
  return { ...ctx, db: { ...ctx.db, query, now: () => ctx.db.now() } } as unknown as Context;
}
