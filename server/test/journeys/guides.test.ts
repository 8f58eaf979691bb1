import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { RECEIVER_SAMPLE } from '@quittance/contract/receiver-sample';
import { generateTestHeader } from '@quittance/sdk/webhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';
import { claimText } from '../../src/settlement/attribution/claim.ts';
import { type Project, startProject } from '../support/guides.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { serve } from '../support/listen.ts';
import { startReceiver } from '../support/receiver.ts';

let app: TestApp;
let project: Project;
let port: number;

beforeAll(async () => {
  app = await startApp({ listen: true, work: true });
  await app.merchant.createWallet();
  port = await freePort();
  project = await startProject({ url: app.url, key: app.merchant.testKey, port });
});
afterAll(async () => {
  await project?.[Symbol.asyncDispose]();
  await app?.stop();
});

test('the client and the command line are installed from the service, as the first guide says', async () => {
  const install = project.block('first-payment.md', 'npm init -y');
  const folder = await mkdtemp(join(tmpdir(), 'quittance-install-'));
  try {
    await project.shell(`cd ${folder}\nexport npm_config_audit=false npm_config_fund=false\n${install}`);
    expect(
      await project.shell(
        `cd ${folder}; node_modules/.bin/quittance --version; node -e "console.log(typeof require('@quittance/sdk').Quittance)"`,
      ),
    ).toMatch(/^\d+\.\d+\.\d+\nfunction\n$/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a checkout is asked for, paid and read, as the first guide says', async () => {
  const [id, url] = (await project.node('checkout.mjs')).trim().split(' ') as [string, string];
  expect(url).toBe(`${app.config.publicUrl}/checkout/${id}`);
  expect(await project.node('pay.mjs', id)).toMatch(/^paid pay_\w+\n$/);
});

test('an error is reported as the first guide says', async () => {
  const [head, message] = (await project.node('refused.mjs')).split('\n');
  expect(head).toMatch(/^400 invalid_checkout_session amount req_/);
  expect(message).toContain('decimal string');
});

test('the request for a shell makes a checkout', async () => {
  const curl = project.block('first-payment.md', 'curl');
  expect(JSON.parse(await project.shell(curl.replace('curl', 'curl -s')))).toMatchObject({
    data: { order_id: 'order-1002', status: 'created' },
  });
});

test('the receiver gets a triggered payment, forwarded and signed by listen', async () => {
  const [printed = [], forwarded = []] = project.commands('webhooks.md', 'export WEBHOOK_SECRET=');
  const [triggered = []] = project.commands('webhooks.md', 'npx --no quittance trigger');
  expect(project.commands('chat.md', 'export CHAT_URL=')).toEqual([printed, forwarded]);
  expect(project.commands('chat.md', 'npx --no quittance trigger')).toEqual([triggered]);
  expect(project.commands('first-payment.md', 'export WEBHOOK_SECRET=')).toEqual([printed, forwarded]);
  const receivers = project.blocks.filter(({ file }) => file === 'receiver.mjs').map(({ text }) => text);
  expect(receivers).toEqual([receivers[0], receivers[0]]);
  const secret = (await project.quittance(...printed)).trim();
  await using shop = await startProject({
    url: app.url,
    key: app.merchant.testKey,
    port,
    env: { WEBHOOK_SECRET: secret },
  });
  const receiver = shop.serve('receiver.mjs');
  const listening = shop.listen(...forwarded.slice(1));
  await listening.line(/^Ready, forwarding to/);

  await shop.quittance(...triggered);

  expect(await listening.line(/payment\.paid/)).toContain('✓ 204');
  expect(await receiver.line(/fulfill/)).toBe('fulfill order-1001');
  const refused = await fetch(`http://localhost:${port}/webhooks`, { method: 'POST', body: '{}' });
  expect([refused.status, await refused.text()]).toEqual([400, 'The `Service-Signature` header is missing.']);
});

test('the commands of the guide to testing trigger, list and send an event again', async () => {
  const printed = project.commands('testing.md', 'npx --no quittance trigger');
  const [trigger = [], list = [], resend = [], help = []] = printed;
  await project.quittance(...trigger);
  const [event = ''] = /evt_\w+/.exec(await project.quittance(...list)) ?? [];
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(port, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => void receiver.close());
  const again = await project.quittance(...resend.map((word) => word.replace('evt_…', event)));
  expect(again).toContain('204');
  expect(await project.quittance(...help)).toContain('trigger');
});

test('the text of a claim is the one that is verified', () => {
  const text = project.block('unusual-payments.md', 'Quittance payment claim').trim();
  const [, sessionId = '', network = '', txHash = ''] = text.split('\n').map((line) => line.split(': ')[1]);
  expect(claimText({ sessionId, network: network as 'base', txHash })).toBe(text);
});

test("a customer is named and their payments are found, as the customers' guide says", async () => {
  const [session, found] = (await project.node('customer.mjs')).trim().split('\n');
  expect(session).toMatch(/^cs_\w+ customer-1042$/);
  expect(found).toBe('0');
});

test.each([
  ['Slack', {}, (text: string) => ({ text: text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;') })],
  ['Telegram', { TELEGRAM_CHAT_ID: '-1001' }, (text: string) => ({ chat_id: '-1001', text })],
  ['Discord', {}, (content: string) => ({ content, allowed_mentions: { parse: [] } })],
] as const)(
  'the forwarder posts a verified payment to %s, and asks for it again while the chat fails',
  async (chat, env, bodyOf) => {
    const posted: unknown[] = [];
    let status = 500;
    await using server = await serve(async (request, response) => {
      posted.push(JSON.parse((await buffer(request)).toString()));
      response.writeHead(status).end();
    });
    await using shop = await startProject({
      url: app.url,
      key: app.merchant.testKey,
      port,
      env: { WEBHOOK_SECRET: 'whsec_test', CHAT_URL: `${server.url}/${chat.toLowerCase()}`, ...env },
    });
    const forwarder = shop.serve('chat.mjs');
    await forwarder.line(/^http:/);
    const body = JSON.stringify({
      id: 'evt_1',
      type: 'payment.paid',
      created: '2026-03-14T09:26:53Z',
      data: {
        id: 'pay_1',
        amount: '49.00',
        currency: 'USD',
        actual_output: '48.90',
        receive_asset: 'USDC',
        failure_reason: null,
        order_id: 'a & b',
        livemode: true,
        customer: { name: '<!channel>' },
      },
    });
    const send = async (header: string) =>
      (await fetch(`http://localhost:${port}/`, { method: 'POST', body, headers: { 'service-signature': header } }))
        .status;

    expect(await send(await generateTestHeader(body, 'whsec_another'))).toBe(400);
    expect(posted).toEqual([]);
    expect(await send(await generateTestHeader(body, 'whsec_test'))).toBe(502);
    status = 200;
    expect(await send(await generateTestHeader(body, 'whsec_test'))).toBe(204);
    expect(await forwarder.line(/posted/)).toBe('posted payment.paid');
    const text = 'Paid: 49.00 USD, 48.90 USDC in your wallet (a & b, <!channel>, pay_1)';
    expect(posted).toEqual([1, 2].map(() => bodyOf(text)));
  },
);

test('a former charge of Coinbase Commerce is a session, and the old handler releases no order that is paid', async () => {
  expect((await project.node('from-charge.mjs')).trim()).toMatch(new RegExp(`^${app.config.publicUrl}/checkout/cs_`));
  await using shop = await startProject({
    url: app.url,
    key: app.merchant.testKey,
    port,
    env: { WEBHOOK_SECRET: 'whsec_test' },
  });
  const receiver = shop.serve('instead-of-commerce.mjs');
  await receiver.line(/^http:/);
  const send = async (type: string, order_id: string) => {
    const body = JSON.stringify({
      id: 'evt_1',
      type,
      created: '2026-03-14T09:26:53Z',
      data: { order_id, metadata: {} },
    });
    const headers = { 'service-signature': await generateTestHeader(body, 'whsec_test') };
    expect((await fetch(`http://localhost:${port}/`, { method: 'POST', body, headers })).status).toBe(204);
  };
  await send('payment.paid', 'order-1001');
  expect(await receiver.line(/charge/)).toBe('charge:confirmed order-1001');
  // Other sessions of the order: one expires, and one is paid as well.
  await send('payment.expired', 'order-1001');
  await send('payment.paid', 'order-1001');
  await send('payment.expired', 'order-1002');
  expect(await receiver.line(/charge/)).toBe('charge:failed order-1002');
});

test('the handler of web requests takes a signed event', async () => {
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'payment.paid',
    created: '2026-03-14T09:26:53Z',
    data: { order_id: null, sequence: 3 },
  });
  const { POST } = (await import(pathToFileURL(join(project.folder, 'route.mjs')).href)) as {
    POST(request: Request): Promise<Response>;
  };
  process.env.WEBHOOK_SECRET = 'whsec_test';
  const response = await POST(
    new Request('http://shop.example.com/', {
      method: 'POST',
      body,
      headers: { 'service-signature': await generateTestHeader(body, 'whsec_test') },
    }),
  );
  expect(response.status).toBe(204);
});

/** The part of Express that the programs use, because Express is not among the packages. */
const EXPRESS = `
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
export default function express() {
  const routes = new Map();
  return {
    post: (path, ...handlers) => routes.set(path, handlers),
    listen: (port) => createServer(async (request, response) => {
      response.status = (code) => Object.assign(response, { statusCode: code });
      for (const handle of routes.get(request.url)) await handle(request, response);
    }).listen(port),
  };
}
express.raw = () => async (request) => {
  request.body = await buffer(request);
};`;

test.each(['express.mjs', 'shown beside a new secret'])(
  'the receiver in Express takes a signed event: %s',
  async (name) => {
    await using shop = await startProject({
      url: app.url,
      key: app.merchant.testKey,
      port,
      env: { WEBHOOK_SECRET: 'whsec_test' },
    });
    await mkdir(join(shop.folder, 'node_modules/express'), { recursive: true });
    await writeFile(join(shop.folder, 'node_modules/express/index.mjs'), EXPRESS);
    await writeFile(join(shop.folder, 'node_modules/express/package.json'), '{"exports":"./index.mjs"}');
    await writeFile(join(shop.folder, 'sample.mjs'), RECEIVER_SAMPLE.replace('4000', String(port)));
    const receiver = shop.serve(name === 'express.mjs' ? name : 'sample.mjs');
    const body = JSON.stringify({
      id: 'evt_1',
      type: 'payment.paid',
      created: '2026-03-14T09:26:53Z',
      data: { order_id: 'order-1001', sequence: 3 },
    });
    const headers = { 'service-signature': await generateTestHeader(body, 'whsec_test') };
    await expect
      .poll(
        () =>
          fetch(`http://localhost:${port}/webhooks`, { method: 'POST', body, headers }).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .toBe(204);
    expect(await receiver.line(/fulfill/)).toBe('fulfill order-1001');
  },
);

const hasPython = spawnSync('python3', ['--version']).status === 0;
test.skipIf(!hasPython)(
  `the verification in Python agrees${hasPython ? '' : ' (SKIPPED: there is no Python)'}`,
  async () => {
    const body = '{"id":"evt_1"}';
    const verify = (header: string) =>
      project.shell(
        `python3 -c 'import verify, sys; print(verify.construct_event(sys.argv[1].encode(), sys.argv[2], ` +
          `"whsec_test")["id"])' '${body}' '${header}'`,
      );
    expect(await verify(await generateTestHeader(body, 'whsec_test'))).toBe('evt_1\n');
    await expect(verify(await generateTestHeader(body, 'whsec_other'))).rejects.toThrow('no signature matches');
    await expect(verify(await generateTestHeader(body, 'whsec_test', { timestamp: 1 }))).rejects.toThrow('too old');
  },
);

test('an endpoint is registered', async () => {
  const [id, secret] = (await project.node('register.mjs')).trim().split(' ') as [string, string];
  expect(id).toMatch(/^we_/);
  expect(secret).toMatch(/^whsec_/);
  await app.merchant.delete(`/webhook-endpoints/${id}`);
});

test('the deliveries of an endpoint that was disabled by its failures are read and sent again', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const merchant = await app.newMerchant();
  await using shop = await startProject({ url: app.url, key: merchant.testKey, port });
  receiver.answer(500);
  const { id } = await merchant.createEndpoint({ url: receiver.url, events: ['payment.expired'] });
  const expire = async () => {
    await merchant.createSession({ expires_in: 60 });
    await merchant.post('/test_helpers/clock/advance', { seconds: 61 });
  };
  await expire();
  await receiver.waitFor(1);
  for (const seconds of [60, 300, 1_800, 7_200, 21_600])
    await merchant.post('/test_helpers/clock/advance', { seconds });
  await expire();
  expect((await merchant.get('/webhook-endpoints')).data).toMatchObject([{ id, status: 'disabled' }]);

  receiver.answer(204);
  expect(await shop.node('repair.mjs', id)).toMatch(/^evt_\w+ /);
  const deliveries = async () => (await merchant.get(`/webhook-endpoints/${id}/deliveries`)).data;
  const delivered = { status: 'delivered' };
  await expect.poll(deliveries, { timeout: 20_000 }).toMatchObject([delivered, delivered]);
});

test('half a payment ends as the guide to testing says', async () => {
  expect(await project.node('expiry.mjs')).toBe('refund_required\n');
});

test('the test of a receiver passes', async () => {
  await project.node('--test', 'receiver.test.mjs');
});

test('a link is made, opened without our page, changed and stopped', async () => {
  const [id, url] = (await project.node('link.mjs')).trim().split(' ') as [string, string];
  expect(url).toBe(`${app.config.publicUrl}/pay/${id}`);
  const open = project.block('payment-links.md', 'key=').replace('pl_…', id).replace('curl', 'curl -s');
  // The second call repeats the first under its key.
  const answers = await project.shell(`${open}\necho\n${open.slice(open.indexOf('curl'))}`);
  const [first, second] = answers
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(first).toMatchObject({ data: { status: 'created', amount: '15.00', description: 'Fern workshop, one seat' } });
  expect(second.data.id).toBe(first.data.id);
  expect(await project.node('change.mjs', id)).toBe('18.00\n');
  expect(await project.node('stop.mjs', id)).toBe('disabled\n');
});

test('a quote shows what a conversion costs', async () => {
  expect(await project.node('quote.mjs')).toMatch(/^routed 1\.5 0\.74 48\.26\d* USDC /);
});

test('a part of a payment is refunded', async () => {
  const [id] = (await project.node('checkout.mjs')).split(' ') as [string];
  const paid = (await project.node('pay.mjs', id)).trim().split(' ')[1] as string;
  const to = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
  expect((await project.node('refund.mjs', paid, to)).split('\n').slice(0, 2)).toEqual([
    `planned 12.500000 USDC to ${to}`,
    'final paid 12.50',
  ]);
});
