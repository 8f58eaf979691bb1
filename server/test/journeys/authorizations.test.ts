import { randomBytes } from 'node:crypto';
import { toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizationCall, signAuthorization, type SignedAuthorization } from '../support/authorizations.ts';
import { challengeFor, requestOf } from '../support/machine-client.ts';
import { rememberAuthorization } from '../support/payments.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;
let payer: PrivateKeyAccount;
let relayer: PrivateKeyAccount;

beforeAll(async () => {
  shop = await startSettlement({ coin: 'DollarCoin' });
  [, , payer, relayer] = shop.chain.accounts as [never, never, PrivateKeyAccount, PrivateKeyAccount];
});
afterAll(() => shop[Symbol.asyncDispose]());

test('an authorization pays the payment that its nonce was stored for, whichever account sends it', async () => {
  const { id, amountUnits } = await shop.checkout();
  const signed = await signAuthorization(shop.chain, shop.usdc, payer, { to: shop.wallet, value: amountUnits });
  await remember(id, signed);
  await relay(signed);
  await shop.settle();
  expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  expect(await ruleOf(id)).toBe('authorization');
});

test('an authorization names its payment though the amount is reserved for another one', async () => {
  const [meant, other] = [await shop.checkout(), await shop.checkout()];
  const signed = await signAuthorization(shop.chain, shop.usdc, payer, { to: shop.wallet, value: other.amountUnits });
  await remember(meant.id, signed);
  await relay(signed);
  await shop.settle();
  expect(await shop.walk(other.id)).toEqual(['created', 'pending']);
  expect(await ruleOf(meant.id)).toBe('authorization');
});

test('the same nonce of another payer names nothing', async () => {
  const [meant, other] = [await shop.checkout(), await shop.checkout()];
  const nonce = toHex(randomBytes(32));
  await remember(
    meant.id,
    await signAuthorization(shop.chain, shop.usdc, payer, { to: shop.wallet, value: meant.amountUnits, nonce }),
  );
  await relay(
    await signAuthorization(shop.chain, shop.usdc, relayer, { to: shop.wallet, value: other.amountUnits, nonce }),
  );
  await shop.settle();
  expect(await shop.walk(meant.id)).toEqual(['created', 'pending']);
  expect(await ruleOf(other.id)).toBe('amount');
});

test('an amount that a program asked for and sent without a credential is shown when it is seen, and paid', async () => {
  const session = await shop.session();
  const asked = await shop.app.inject('GET', `/checkout/${session.id}/pay`);
  const { amount } = requestOf(challengeFor(asked, 'hash'));
  expect((await shop.publicSession(session.id)).payment).toBe(null);
  await shop.send(BigInt(amount));
  await shop.watch();
  expect(await shop.publicSession(session.id)).toMatchObject({
    status: 'created',
    payment: { amount_due: '0.000000', amount_seen: `${amount.slice(0, -6)}.${amount.slice(-6)}` },
  });
  // No payment is requested while it is not final yet.
  expect((await shop.app.inject('GET', `/checkout/${session.id}/pay`)).status).toBe(202);
  await shop.settle();
  expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
});

async function relay(signed: SignedAuthorization): Promise<void> {
  await shop.chain.send({ from: relayer.address, to: shop.usdc, data: authorizationCall(signed) });
}

function remember(sessionId: string, { from: payer, nonce }: SignedAuthorization): Promise<void> {
  return rememberAuthorization(shop.ctx.db, {
    sessionId,
    payer,
    token: shop.usdc,
    nonce: Buffer.from(nonce.slice(2), 'hex'),
  });
}

async function ruleOf(sessionId: string): Promise<string | undefined> {
  const [row] = await shop.ctx.db.query<{ attributedBy: string }>(
    'test_rule_of',
    `select t.attributed_by from transfers t join payments p on p.id = t.payment_id where p.session_id = $1`,
    [sessionId],
  );
  return row?.attributedBy;
}
