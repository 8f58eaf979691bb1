import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Merchant } from '../../support/merchant.ts';
import { arrive, transferTo } from '../../support/transfers.ts';

const WALLET = '0x1000000000000000000000000000000000000001';
const SENDER = '0x52908400098527886E0F7030069857D2E4169EE7';
const HASH = `0x${'ab'.repeat(32)}`;

let app: TestApp;
let merchant: Merchant;
let id: string;
beforeAll(async () => {
  app = await startApp();
  merchant = await app.newMerchant({ mode: 'live' });
  await merchant.createWallet({ address: WALLET });
  id = await arrive(app.ctx, transferTo(WALLET, { txHash: HASH, from: SENDER }));
});
afterAll(() => app.stop());

async function search(by: Merchant, q: string, mode = 'live'): Promise<{ kind: string; id: string }[]> {
  const answer = await app.inject('GET', '/dashboard/api/search', {
    query: { q },
    headers: { cookie: `session=${by.loginToken}`, 'service-mode': mode },
  });
  expect(answer.status).toBe(200);
  expect(answer.body.data.payments).toEqual([]);
  return answer.body.data.others;
}

test.each([
  ['hash', HASH],
  ['hash in capitals', HASH.toUpperCase().replace('0X', '0x')],
  ['sender', SENDER],
  ['sender in lower case', SENDER.toLowerCase()],
])('search finds a transfer that belongs to no payment by its %s, once', async (_, q) => {
  expect(await search(merchant, q)).toEqual([{ kind: 'transfer', id, label: HASH }]);
});

test('search shows it neither in the other mode nor to another account', async () => {
  const stranger = await app.newMerchant({ mode: 'live' });
  await stranger.createWallet({ address: '0x2000000000000000000000000000000000000002' });
  for (const q of [HASH, SENDER]) {
    expect(await search(merchant, q, 'test')).toEqual([]);
    expect(await search(stranger, q)).toEqual([]);
  }
});
