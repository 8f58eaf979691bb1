import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CONFIRMATIONS, startSettlement, type Settlement } from '../support/settlement.ts';

type Data = any;

let shop: Settlement;
let wallet: Data;
let challenge: Data;
let address: `0x${string}`;

beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());

// Each test has its own account, which saves the customer's wallet.
beforeEach(async () => {
  address = shop.customer;
  const merchant = await shop.app.newMerchant({ mode: 'live' });
  wallet = await merchant.createWallet({ network: 'ethereum', address });
  const proof = await merchant.dashboard.post(`/payout-wallets/${wallet.id}/prove`);
  challenge = proof.transfer;
  prove = (tx_hash) => merchant.dashboard.request('POST', `/payout-wallets/${wallet.id}/prove`, { body: { tx_hash } });
  again = () => merchant.dashboard.post(`/payout-wallets/${wallet.id}/prove`);
});
let prove: (txHash: string) => Promise<Data>;
let again: () => Promise<Data>;

const units = () => BigInt(challenge.amount.replace('.', ''));
const refused = { status: 400, body: { error: { code: 'invalid_signature', param: 'tx_hash' } } };

test('the transfer is from the address to itself, of an amount that stays the same while it is signed', async () => {
  expect(challenge).toMatchObject({ asset: 'USDC', network: 'ethereum', from: address, to: address });
  expect(challenge.amount).toMatch(/^0\.\d{6}$/);
  expect(units()).toBeGreaterThanOrEqual(10_000n);
  expect((await again()).transfer).toEqual(challenge);
});

test('another sender, another amount, another recipient and an unknown transaction prove nothing', async () => {
  const other = shop.chain.accounts[2]?.address as `0x${string}`;
  const transactions = [
    await shop.send(units(), { from: other, to: address }),
    await shop.send(units(), { from: address, to: other }),
    await shop.send(units() + 1n, { from: address, to: address }),
    await shop.send(units(), { from: address, to: address, token: shop.usdt }),
    `0x${'ab'.repeat(32)}`,
    'nonsense',
  ];
  await shop.chain.mine(CONFIRMATIONS);
  for (const txHash of transactions) expect(await prove(txHash), txHash).toMatchObject(refused);
});

test('a transfer that was made before the amount was given, or after it expired, proves nothing', async () => {
  const txHash = await shop.send(units(), { from: address, to: address });
  await shop.chain.mine(CONFIRMATIONS);
  const move = (shift: string) =>
    shop.app.ctx.db.query(
      'test_move_challenge',
      `update transfer_challenges set created_at = created_at + $2::interval, expires_at = expires_at + $2::interval
        where payout_wallet_id = $1`,
      [wallet.id, shift],
    );
  await move('10 minutes');
  expect(await prove(txHash)).toMatchObject(refused);
  await move('-4 days');
  expect(await prove(txHash)).toMatchObject(refused);
});

test('it proves the address once it is final, and brings no money', async () => {
  const txHash = await shop.send(units(), { from: address, to: address });
  const early = await prove(txHash);
  expect(early).toMatchObject(refused);
  expect(early.body.error.message).toMatch(/not final/);

  await shop.settle();
  expect(await prove(txHash)).toMatchObject({
    status: 200,
    body: { data: { proved: true, proof: 'proved', transfer: null } },
  });
  const [row] = await shop.app.ctx.db.query('test_transfer', 'select 1 from transfers where tx_hash = $1', [txHash]);
  expect(row).toBeUndefined();
});

test('one account gets five amounts for an address, and no two wallets the same one', async () => {
  const merchant = await shop.app.newMerchant({ mode: 'live' });
  const given: (string | null)[] = [];
  for (let count = 0; count < 6; count += 1) {
    const { id } = await merchant.createWallet({ network: 'ethereum', address });
    given.push((await merchant.dashboard.post(`/payout-wallets/${id}/prove`)).transfer?.amount ?? null);
  }
  expect(given[5]).toBeNull();
  expect(new Set(given).size).toBe(6);
});
