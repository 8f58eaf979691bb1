import { base58, base64 } from '@scure/base';
import { getTransactionDecoder, getTransactionEncoder, type KeyPairSigner, type Transaction } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SolanaShop, startSolanaShop } from '../support/solana/shop.ts';

let shop: SolanaShop;

beforeAll(async () => {
  shop = await startSolanaShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

test('a wallet that follows the transaction request of a checkout pays it exactly, by its reference', async () => {
  const session = await shop.session('USDC');
  const path = `/checkout/${session.id}/solana-pay`;
  const described = await shop.app.inject('GET', path, { headers: { origin: 'https://wallet.example' } });
  expect([described.status, described.headers['access-control-allow-origin']]).toEqual([200, '*']);
  expect(Object.keys(described.body)).toEqual(['label', 'icon']);
  expect((await shop.app.inject('GET', new URL(described.body.icon).pathname)).headers['content-type']).toBe(
    'image/svg+xml',
  );

  const answer = await shop.app.inject('POST', path, { body: { account: shop.customer.address } });
  expect(answer.status).toBe(200);
  expect(answer.body.message).toBe('49.00 USD to the merchant');
  const unsigned = getTransactionDecoder().decode(base64.decode(answer.body.transaction));
  expect(Object.entries(unsigned.signatures)).toEqual([[shop.customer.address, null]]);
  shop.cluster.rpc('sendTransaction', [
    base64.encode(await sign(unsigned, shop.customer)),
    { encoding: 'base64', skipPreflight: true },
  ]);

  await shop.settle();
  const { payment } = await shop.publicSession(session.id);
  expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  expect(payment.amount_received).toBe(payment.amount);
});

test('the page names the transaction request where wallets can fetch it: by https, for a live checkout on Solana', async () => {
  await using secure = await startSolanaShop({ env: { PUBLIC_URL: 'https://localhost:8443' }, cluster: shop.cluster });
  const pageOf = async ({ app }: SolanaShop, id: string) =>
    (await app.inject('GET', `/checkout/${id}`, { headers: { accept: 'text/html' } })).raw;
  expect(await pageOf(shop, (await shop.session('USDC')).id)).toContain('"solanaPay":null');
  const { id } = await secure.session('USDC');
  expect(await pageOf(secure, id)).toContain(`"solanaPay":"solana:https://localhost:8443/checkout/${id}/solana-pay"`);
});

test('an error is a sentence that a wallet can show', async () => {
  const session = await shop.session('USDC');
  const path = `/checkout/${session.id}/solana-pay`;
  for (const body of [{}, { account: 7 }, { account: 'none' }, { account: 'x'.repeat(500) }]) {
    const answer = await shop.app.inject('POST', path, { body });
    expect([answer.status, typeof answer.body.message]).toEqual([400, 'string']);
  }
  expect((await shop.app.inject('GET', `/checkout/cs_${'0'.repeat(24)}/solana-pay`)).status).toBe(404);
  const preflight = await shop.app.inject('OPTIONS', path);
  expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([204, 'GET, POST']);
});

/** Signs like a wallet that keeps the fee payer and the blockhash. */
async function sign(transaction: Transaction, wallet: KeyPairSigner): Promise<Uint8Array> {
  const [signatures] = await wallet.signTransactions([transaction as never]);
  const signature = signatures?.[wallet.address];
  if (!signature) throw new Error('the wallet did not sign');
  expect(base58.encode(signature).length).toBeGreaterThan(80);
  return Uint8Array.from(
    getTransactionEncoder().encode({ ...transaction, signatures: { [wallet.address]: signature } } as never),
  );
}
