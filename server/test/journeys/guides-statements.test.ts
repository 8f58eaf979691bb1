import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';
import { startProject } from '../support/guides.ts';
import { startApp, type TestApp } from '../support/index.ts';

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await startApp({ listen: true, work: true });
  await app.merchant.createWallet();
  port = await freePort();
});
afterAll(() => app?.stop());

test('a receipt is read and verified, by the command and by a program, as its guide says', async () => {
  // The issuer is the public address.
  await using shop = await startProject({
    url: app.config.publicUrl,
    key: app.merchant.testKey,
    port,
    env: { JWKS_URL: keySetOf(app) },
  });
  const [id] = (await shop.node('checkout.mjs')).trim().split(' ') as [string];
  const [, payment = ''] = (await shop.node('pay.mjs', id)).trim().split(' ');
  expect(await shop.node('receipt.mjs', payment)).toMatch(/^rct_\w+ paid 49\.\d{6}\nhttp\S+\/jwks\/\S+\n$/);
  const [curl = ''] = shop.block('receipts.md', 'curl -s').split('\n');
  await shop.shell(curl);
  const [verify = []] = shop.commands('receipts.md', 'curl -s');
  expect(await shop.quittance(...verify)).toContain('receipt.jwt: valid (TEST MODE: no money');
  expect(await shop.node('verify.mjs')).toMatch(/^paid 49\.\d{6} 0x\w+ null\n$/);
});

test('a receiver without a secret verifies deliveries with the public keys', async () => {
  const endpoint = await app.merchant.createEndpoint({
    url: `http://localhost:${port}/webhooks`,
    events: ['payment.paid'],
    asymmetric_signature: true,
  });
  const env = { JWKS_URL: keySetOf(app), WEBHOOK_ENDPOINT: endpoint.id };
  expect(endpoint.jwks_url).toBe(env.JWKS_URL);
  await using shop = await startProject({ url: app.url, key: app.merchant.testKey, port, env });
  const receiver = shop.serve('public-key.mjs');
  await receiver.line(/localhost/);
  await shop.quittance('trigger', 'payment.paid', '--order-id', 'order-1003');
  expect(await receiver.line(/fulfill/)).toBe('fulfill order-1003');
  const refused = await fetch(`http://localhost:${port}/webhooks`, { method: 'POST', body: '{}' });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('v1a')]);
  const sample = { endpoint_id: endpoint.id, event: 'payment.paid' };
  expect(await app.merchant.post('/webhooks/test', sample)).toEqual({ delivered: true, response_code: 200 });
  await app.merchant.delete(`/webhook-endpoints/${endpoint.id}`);
});

/** Where the keys of the merchant's test mode are published. */
function keySetOf({ config, merchant }: TestApp): string {
  return `${config.publicUrl}/.well-known/jwks/${merchant.accountId}/test.json`;
}
