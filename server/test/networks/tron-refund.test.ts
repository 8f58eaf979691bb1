import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { fromHexAddress } from '../../src/outside/chains/pure/tron-address.ts';
import { startApp } from '../support/index.ts';
import { openCheckout } from '../support/open-checkout.ts';
import { take, transferTo } from '../support/transfers.ts';

test('the page of a refund on Tron asks for an address, and no wallet of another network for its signature', async () => {
  await using app = await startApp();
  const [wallet, from] = [1, 2].map(() => fromHexAddress(`0x${randomBytes(20).toString('hex')}`)) as [string, string];
  const { session, due, state } = await openCheckout(app, { asset: 'USDT', network: 'tron', address: wallet });
  const sent = { network: 'tron', asset: 'USDT', from, amountUnits: due } as const;
  await take(app.ctx, transferTo(wallet, { ...sent, txHash: randomBytes(32).toString('hex') }));
  expect(await state()).toBe('paid');
  const { payment } = await app.merchant.live.get(`/checkout/sessions/${session.id}`);
  const { link } = await app.merchant.live.post(`/payments/${payment}/refunds`, { amount: '9.80', link: {} });
  const page = await app.inject('GET', new URL(link.url).pathname, { headers: { accept: 'text/html' } });
  const html = page.raw.toString();
  expect(page.status).toBe(200);
  expect(html).toContain('name="address"');
  // What wallets would sign.
  expect(html).not.toContain('id="page-state"');
});
