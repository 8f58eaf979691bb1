import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm';
import { ExactSvmScheme } from '@x402/svm';
import { Receipt } from 'mppx';
import { evm, Mppx } from 'mppx/client';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MachineShop, startMachineShop } from '@quittance/server/testing/machine-shop';
import { startSolanaMachineShop } from '@quittance/server/testing/solana/machine-shop';
import { keysOfReceipt } from '@quittance/server/testing/receipt-keys';
import { rotateSigningKeys } from '@quittance/server/testing/signing';
import { type Receiver, startReceiver } from '@quittance/server/testing/receiver';
import { verifyReceipt } from '../sdk/src/receipts.ts';
import { publishedFacilitator, publishedSolanaFacilitator } from './programs/facilitator.ts';

const run = promisify(execFile);
const authorization = { name: 'USD Coin', version: '2' };
/** The limit of the guide for programs, and the coin of a test chain, which the client does not know. */
const SPEND = { maxAmountPerPayment: '$100', allowedAssets: true } as const;
const EVENTS = ['payment.created', 'payment.pending', 'payment.paid', 'payment.refunded'];
let shop: MachineShop;
let payer: PrivateKeyAccount;
let receiver: Receiver;

beforeAll(async () => {
  shop = await startMachineShop({ settle: publishedFacilitator });
  [payer] = shop.payers as [PrivateKeyAccount];
  receiver = await startReceiver();
  await shop.merchant.createEndpoint({
    url: receiver.url,
    events: EVENTS,
  });
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await receiver?.close();
});

test("the published client of x402 pays a checkout, which ends as a person's payment does, and a refund shows", async () => {
  const session = await shop.session();
  const pay = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(payer) }],
    spendControls: SPEND,
  });
  const answer = await pay(`${shop.app.url}/checkout/${session.id}/pay`);
  expect(answer.status).toBe(200);
  const settled = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
  expect(settled).toMatchObject({ success: true, payer: payer.address });
  expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  expect(await shop.rulesOf(session.id)).toEqual(['authorization']);

  const { jws } = ((await answer.json()) as any).receipt;
  expect(settled.extensions?.['offer-receipt']).toMatchObject({ info: { receipt: { format: 'jws', signature: jws } } });
  await refundShows(session.id, jws);
});

test('the published client of the "Payment" scheme pays a checkout, which ends as a person\'s payment does, and a refund shows', async () => {
  const session = await shop.session();
  const client = Mppx.create({ methods: [evm({ account: payer, authorization })], polyfill: false });
  const answer = await client.fetch(`${shop.app.url}/checkout/${session.id}/pay`);
  expect(answer.status).toBe(200);
  expect(Receipt.fromResponse(answer)).toMatchObject({ status: 'success', method: 'evm' });
  expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  expect(await shop.rulesOf(session.id)).toEqual(['authorization']);

  await refundShows(session.id, ((await answer.json()) as any).receipt.jws);
});

/**
 * The refund ends the checkout, is sent by webhook, and is in a receipt that replaces the program's, even after a
 * rotation of the key.
 */
async function refundShows(sessionId: string, jws: string): Promise<void> {
  const trusted = async () => ({ jwks: await keysOfReceipt(shop.app, jws), payee: shop.wallet });
  const before = await verifyReceipt(jws, await trusted());
  expect(before).toMatchObject({ session: sessionId, status: 'paid', refunds: [] });
  await rotateSigningKeys(shop.app.ctx);

  const { payment } = await shop.merchant.get(`/checkout/sessions/${sessionId}`);
  await shop.merchant.dashboard.post(`/payments/${payment}/refund`, { amount: '49.00', reason: 'returned' });
  expect(await shop.walk(sessionId)).toEqual(['created', 'pending', 'paid', 'refunded']);
  expect((await fetch(`${shop.app.url}/checkout/${sessionId}/pay`)).status).toBe(410);
  const isOwn = (request: any) => request.event?.data.session === sessionId;
  const delivered = await receiver.waitFor(4, isOwn);
  expect(new Set(delivered.map(({ event }: any) => event.type))).toEqual(new Set(EVENTS));

  const after = await verifyReceipt((await shop.merchant.get(`/payments/${payment}/receipt`)).jws, await trusted());
  expect(after).toMatchObject({ status: 'refunded', refunds: [{ amount: '49.00' }], supersedes: before.jti });
  expect((await verifyReceipt(jws, await trusted())).jti).toBe(before.jti);
}

test('the published clients pay a payment link by POST', async () => {
  const link = await shop.merchant.createLink();
  const pay = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(payer) }],
    spendControls: SPEND,
  });
  const answer = await pay(`${shop.app.url}/pay/${link.id}`, { method: 'POST' });
  expect([answer.status, ((await answer.json()) as any).session.status]).toEqual([200, 'paid']);
  const client = Mppx.create({ methods: [evm({ account: payer, authorization })], polyfill: false });
  expect((await client.fetch(`${shop.app.url}/pay/${link.id}`, { method: 'POST' })).status).toBe(200);
});

test('the published client of x402 pays on Solana, by a memo that names the payment', async () => {
  await using solana = await startSolanaMachineShop(publishedSolanaFacilitator);
  const session = await solana.session();
  const pay = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [
      { network: 'solana:*', client: new ExactSvmScheme(solana.payer as never, { rpcUrl: solana.cluster.url }) },
    ],
    spendControls: SPEND,
  });
  const answer = await pay(`${solana.app.url}/checkout/${session.id}/pay`);
  expect(answer.status).toBe(200);
  expect(await solana.walk(session.id)).toEqual(['created', 'pending', 'paid']);
});

test('`mppx validate` finds nothing wrong', async () => {
  const session = await shop.session();
  const program = new URL('../node_modules/mppx/dist/bin.js', import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [
    program,
    'validate',
    shop.app.config.publicUrl,
    '--endpoint',
    `GET:/checkout/${session.id}/pay`,
    '--output-json',
  ]).catch((error: { stdout: string; stderr: string }) => ({ stdout: `${error.stdout}\n${error.stderr}` }));
  const { summary } = JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1));
  if (summary.warnings > 0)
    console.log(
      stdout
        .split('\n')
        .filter((_, at, all) => all.slice(at, at + 4).some((line) => line.includes('"warn"')))
        .join('\n'),
    );
  expect(summary).toMatchObject({ failed: 0, warnings: 0 });
  expect(summary.passed).toBeGreaterThan(15);
});
