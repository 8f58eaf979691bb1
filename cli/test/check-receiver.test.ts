import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constructEvent, SignatureVerificationError, type VerifyOptions } from '@quittance/sdk/webhooks';
import { expect, test } from 'vitest';
import { run } from '../src/run.ts';

const SECRET = 'whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUh';

interface Delivery {
  body: Buffer;
  header: string;
  verify(header?: string, options?: VerifyOptions, body?: string | Buffer): Promise<{ id: string; type: string }>;
}
/** The status of the answer; what is thrown for a wrong signature is answered as the guides do. */
type Receiver = (delivery: Delivery) => Promise<number>;

const RIGHT: Receiver = async ({ verify }) => {
  await verify();
  return 204;
};

const FORGED = ['a changed amount', 'the signature of another secret', 'no signature'];
const OLD = 'a signature of ten minutes ago';

test.each<[string, () => Receiver, string[]]>([
  ['verifies as the guides do', () => RIGHT, []],
  ['takes everything', () => async () => 200, [...FORGED, OLD, 'a body that is no JSON']],
  [
    'takes any age',
    () =>
      async ({ verify }) => {
        await verify(undefined, { toleranceSeconds: 0 });
        return 200;
      },
    [OLD],
  ],
  [
    'allows half a minute',
    () =>
      async ({ verify }) => {
        await verify(undefined, { toleranceSeconds: 30 });
        return 200;
      },
    ['an event that was signed a minute ago'],
  ],
  [
    'reads 100 kB',
    () => async (delivery) => (delivery.body.length > 100_000 ? 413 : RIGHT(delivery)),
    ['a body of 110 kB'],
  ],
  [
    'keeps ASCII only',
    () =>
      async ({ verify, body }) => {
        await verify(undefined, {}, body.toString('ascii'));
        return 200;
      },
    ['letters of every script'],
  ],
  [
    'compares the first signature',
    () =>
      async ({ verify, header }) => {
        await verify(header.split(',').slice(0, 2).join(','));
        return 200;
      },
    ['two signatures, yours second'],
  ],
  [
    'compares the last signature',
    () =>
      async ({ verify, header }) => {
        const parts = header.split(',');
        await verify([parts[0], parts.at(-1)].join(','));
        return 200;
      },
    ['two signatures, yours first'],
  ],
  ['refuses what it has seen', seenBefore, ['the same event again', 'one event five times at once']],
  [
    'knows nine types',
    () =>
      async ({ verify }) =>
        (await verify()).type.includes('something_new') ? 422 : 200,
    ['a type of event that is new'],
  ],
  [
    'refuses samples',
    () => async (delivery) => RIGHT(delivery).catch((error) => (error.status === 200 ? 400 : Promise.reject(error))),
    ['a sample, signed as usual'],
  ],
  [
    'fails at what is wrong',
    () => async (delivery) => RIGHT(delivery).catch((error) => (error.status === 200 ? 200 : 500)),
    [...FORGED, OLD, 'a body that is no JSON'],
  ],
])('a receiver that %s', async (_, make, expected) => {
  const { code, failed, out } = await check(make());
  expect(failed).toEqual(expected);
  expect(code).toBe(expected.length === 0 ? 0 : 1);
  expect(out.match(/^[✓✗]/gm)).toHaveLength(17);
});

test.each<[string, Receiver | undefined, string]>([
  ['has another secret', async ({ verify }) => ((await verify('t=1,v1=')) ? 200 : 0), "Use this endpoint's secret"],
  ['does not know the order', async () => 404, 'or pass --order-id with a test order'],
  ['redirects', async () => 308, 'A redirect is a failure'],
  ['takes no POST', async () => 405, 'Take POST at this address'],
  ['is not there', undefined, 'no answer'],
])('one that %s is checked no further', async (_, receiver, words) => {
  const { code, out, err } = await check(receiver);
  expect(code).toBe(1);
  expect(out).toContain(words);
  expect(out.trim().split('\n')).toHaveLength(1);
  expect(err).toContain('The other checks need this one');
});

test('each check is a line of JSON, for a program', async () => {
  const { out } = await check(RIGHT, '--json', '--order-id', 'order-7');
  const lines = out.trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    name: 'a signed event',
    passed: true,
    answers: [{ answer: 204 }],
  });
});

test.each([
  [[], 'Give the address of one receiver'],
  [['ftp://shop.example'], 'Give the address of one receiver'],
  [['http://localhost:1', '--secret', 'sk_test_1'], 'Give the signing secret of the receiver'],
])('%j is refused with the expected form', async (args, words) => {
  const { code, err } = await quittance(args);
  expect(code).toBe(2);
  expect(err).toContain(words);
});

function seenBefore(): Receiver {
  const seen = new Set<string>();
  return async ({ verify }) => {
    const { id } = await verify();
    if (seen.has(id)) return 409;
    seen.add(id);
    return 200;
  };
}

async function check(receiver: Receiver | undefined, ...args: string[]) {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const header = String(request.headers['service-signature'] ?? '');
    const verify: Delivery['verify'] = (own = header, options = {}, bytes = body) =>
      constructEvent(bytes, own, SECRET, options);
    const status = await (receiver as Receiver)({ body, header, verify }).catch((error) =>
      error instanceof SignatureVerificationError ? error.status : 500,
    );
    response.writeHead(status, { location: '/elsewhere' }).end('text');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  if (!receiver) server.close();
  try {
    const ran = await quittance([url, '--secret', SECRET, ...args]);
    const failed = [...ran.out.matchAll(/^✗ ([^:]+):/gm)].map(([, name]) => name);
    return { ...ran, failed };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function quittance(args: string[]) {
  let out = '';
  let err = '';
  const code = await run(['check-receiver', ...args], {
    stdout: { write: (text) => void (out += text) },
    stderr: { write: (text) => void (err += text) },
    stdin: new PassThrough(),
    env: {},
  });
  return { code, out, err };
}
