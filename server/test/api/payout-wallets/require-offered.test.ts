import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const start = async () => (await createApp(app.config, { ...app.ctx })).close();
let changes = 0;
const change = (what: string, id: string) =>
  app.ctx.db.query(`test_change_${(changes += 1)}`, `update payout_wallets set ${what} where id = $1`, [id]);

test('a server does not start without an asset that a wallet in use receives, and names it', async () => {
  const wallet = await app.merchant.live.createWallet({ asset: 'USDC', network: 'polygon' });
  await expect(start()).resolves.toBeUndefined();
  await change(`asset = 'USDT', watched_until = null`, wallet.id);
  await expect(start()).rejects.toThrow(/^EXTRA_ASSETS must name USDT_POLYGON: /);
  await change(`archived_at = now(), is_default = false`, wallet.id);
  await expect(start()).resolves.toBeUndefined();
  // Its last checkout ended lately, so that money may still arrive.
  await change(`watched_until = now() - interval '30 days'`, wallet.id);
  await expect(start()).rejects.toThrow(/USDT_POLYGON/);
  await change(`watched_until = now() - interval '32 days'`, wallet.id);
  await expect(start()).resolves.toBeUndefined();
});
