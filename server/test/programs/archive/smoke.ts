import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../../support/receiver.ts';

const START_TIMEOUT_MS = 120_000;

/** What a merchant does first on a new server: create a session, have it paid in test mode, receive the webhook. */
export async function payOnce(url: string, dataDir: string): Promise<void> {
  await until(async () => (await fetch(`${url}/healthz`)).ok);
  const key = await readTestKey(dataDir);
  await using stack = new AsyncDisposableStack();
  const receiver = await startReceiver();
  stack.defer(() => receiver.close());
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${url}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data: any };
    assert(response.ok, `${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };

  const endpoint = await call('/webhook-endpoints', { url: receiver.url, events: ['payment.paid'] });
  const session = await call('/checkout/sessions', { amount: '49.00', order_id: 'order-1001' });
  const page = await fetch(`${url}/checkout/${session.id}`);
  assert.match(await page.text(), /49\.00/, 'the checkout page shows the amount');
  await call(`/public/checkout/sessions/${session.id}/pay`, { pay_asset: 'USDC', pay_network: 'base' });
  await call(`/public/checkout/sessions/${session.id}/test`, { action: 'paid' });
  assert.equal((await call(`/checkout/sessions/${session.id}`)).status, 'paid');

  const [webhook] = await receiver.waitFor(1);
  assert(webhook);
  new Webhook(endpoint.secret).verify(webhook.body.toString(), webhook.headers as Record<string, string>);
  assert.equal(webhook.event.data.session, session.id);
  for (const path of ['/dashboard', '/docs', '/docs/quittance-sdk.tgz', '/docs/quittance-cli.tgz', '/v1/openapi.json'])
    assert((await fetch(`${url}${path}`)).ok, `${path} is there`);
}

/** The demo account is created right after the server listens. */
async function readTestKey(dataDir: string): Promise<string> {
  let key = '';
  await until(async () => {
    key = (JSON.parse(await readFile(`${dataDir}/demo.json`, 'utf8')) as { testKey: string }).testKey;
    return key !== '';
  });
  return key;
}

/** Polls until it is true; a failure is a no. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const endAt = performance.now() + START_TIMEOUT_MS;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > endAt) throw new Error('the server did not start');
    await pause(100);
  }
}
