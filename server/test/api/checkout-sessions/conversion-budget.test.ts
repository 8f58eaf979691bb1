import { findAssetByKey } from '@quittance/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Router } from '../../../src/outside/routers/router.ts';
import { createConverter } from '../../programs/floods/abuse/converter.ts';
import { createLedger } from '../../programs/simulation/ledger.ts';
import { createRandom } from '../../programs/simulation/random.ts';
import { startApp, type TestApp } from '../../support/app.ts';

const LIMIT = 30;
const STRANGER = '203.0.113.7';
const random = createRandom(5);
const converter = createConverter(createLedger('base', random, { begin: new Date(), blockSeconds: 2 }), random);
const REFUND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
let app: TestApp;
beforeAll(async () => {
  const routers: Router[] = [converter.router];
  app = await startApp({ overrides: { routers } });
});
afterAll(() => app.stop());

async function convert(from: string) {
  const { id } = await app.merchant.live.createSession();
  const pay = findAssetByKey('USDC_ETHEREUM');
  const body = { pay_asset: pay?.asset, pay_network: pay?.network, refund_address: REFUND };
  return app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body, from });
}

test('a client that has requested thirty conversions of a merchant within an hour is rejected, leaves nothing behind, and others go on', async () => {
  const statuses = [];
  // A client's share shrinks slightly with each conversion.
  for (let asked = 0; asked < LIMIT; asked += 1) statuses.push((await convert(STRANGER)).status);
  const counted = statuses.filter((status) => status === 200).length;
  expect(counted).toBeGreaterThan(LIMIT - 3);

  const refused = await convert(STRANGER);
  expect([refused.status, refused.body.error.param]).toEqual([429, 'pay_asset']);
  expect(refused.body.error.message).toMatch(
    /^This client address has asked for \d+ conversions of this merchant within an hour, which is the limit\. It is free at .* Pay the asset that the merchant receives/,
  );
  expect(converter.orders).toBe(counted);
  const rows = await app.ctx.db.query('test_outputs', `select 1 from reserved_amounts where purpose = 'route_output'`);
  expect(rows).toHaveLength(counted);
  expect((await convert('203.0.113.8')).status).toBe(200);
});
