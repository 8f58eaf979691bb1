import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLimiter } from '../../../src/platform/http/admission/rate-limit.ts';
import { startGround } from './ground.ts';

/** A server whose limiter records the client of each request. */
async function countingGround(trustedProxies: string[]) {
  const counted: string[] = [];
  const limiter = createLimiter({ requestsPerSecond: 1_000, redisUrl: null, log: pino({ level: 'silent' }) });
  const { requests } = limiter;
  const ground = await startGround({
    trustedProxies,
    limiter: {
      ...limiter,
      requests: {
        ...requests,
        take: (client) => {
          counted.push(client.narrow.replace('client:', ''));
          return requests.take(client);
        },
      },
    },
  });
  /** Sends raw bytes and reads until the server closes. */
  const send = async (bytes: string) => {
    const socket = connect(Number(new URL(ground.url).port), '127.0.0.1');
    socket.write(bytes);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
  };
  return { ground, counted, send, [Symbol.asyncDispose]: () => ground.stop() };
}

const malformed = (forwardedFor?: string) =>
  `GET /page HTTP/1.1\r\nHost: localhost\r\n${forwardedFor === undefined ? '' : `X-Forwarded-For: ${forwardedFor}\r\n`}bad header\r\n\r\n`;

test('a malformed request counts for the client behind a trusted proxy, not for the proxy and not for other clients', async () => {
  await using behind = await countingGround(['127.0.0.1', '10.0.0.0/8']);
  await behind.send(malformed('203.0.113.9'));
  // An address that a client adds to the header itself comes before what its proxies add.
  await behind.send(malformed('198.51.100.7, 203.0.113.9, 10.1.2.3'));
  await behind.send(malformed('198.51.100.7'));
  await behind.send(malformed('::ffff:198.51.100.8'));
  await behind.send(malformed());
  await behind.ground.call('GET', '/page');
  await behind.ground.call('GET', '/page', { headers: { 'x-forwarded-for': '198.51.100.7, 203.0.113.9, 10.1.2.3' } });
  expect(behind.counted).toEqual([
    '203.0.113.9',
    '203.0.113.9',
    '198.51.100.7',
    '198.51.100.8',
    'unknown',
    '127.0.0.1',
    '203.0.113.9',
  ]);
});

test('without a trusted proxy the header changes nothing', async () => {
  await using open = await countingGround([]);
  await open.send(malformed('203.0.113.9'));
  await open.ground.call('GET', '/page', { headers: { 'x-forwarded-for': '203.0.113.9' } });
  expect(open.counted).toEqual(['127.0.0.1', '127.0.0.1']);
});

test.each([
  ['that is not trusted', [], 1],
  ['that is trusted', ['loopback'], 0],
])('a forwarded request from a proxy %s is warned of once', async (_kind, trustedProxies, warnings) => {
  const lines: string[] = [];
  const ground = await startGround({
    trustedProxies,
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  });
  try {
    await ground.call('GET', '/page');
    expect(lines).toEqual([]);
    for (let count = 0; count < 3; count += 1)
      await ground.call('GET', '/page', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(lines.filter((line) => line.includes('TRUSTED_PROXIES'))).toHaveLength(warnings);
  } finally {
    await ground.stop();
  }
});

test('an address with a port, as some proxies write it, is that address', async () => {
  await using behind = await countingGround(['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48']);
  const forwarded = [
    '203.0.113.9:1234',
    '198.51.100.7, 203.0.113.10:443, 10.1.2.3:80',
    '[2001:db8:1:2::3]:443',
    '[2001:db8:1:3::3]',
    '2001:db8:1:4::3',
    '2001:db8:1:5::3, [2001:db8:ffff::1]:8080',
  ];
  const clients = [
    '203.0.113.9',
    '203.0.113.10',
    '2001:db8:1:2::/64',
    '2001:db8:1:3::/64',
    '2001:db8:1:4::/64',
    '2001:db8:1:5::/64',
  ];
  for (const value of forwarded) await behind.ground.call('GET', '/page', { headers: { 'x-forwarded-for': value } });
  expect(behind.counted).toEqual(clients);
  for (const value of forwarded) await behind.send(malformed(value));
  expect(behind.counted.slice(clients.length)).toEqual(clients);
});

test.each([
  ['no address', { 'x-forwarded-for': 'unknown' }, 'X-Forwarded-For not understood'],
  ['the address in another header', { 'x-real-ip': '203.0.113.9' }, 'X-Forwarded-For missing'],
  ['the address in the standard header', { forwarded: 'for=203.0.113.9' }, 'X-Forwarded-For missing'],
])('a trusted proxy that sends %s is warned of once', async (_what, headers, warning) => {
  const lines: string[] = [];
  const ground = await startGround({
    trustedProxies: ['loopback'],
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  });
  try {
    await ground.call('GET', '/page');
    for (let count = 0; count < 3; count += 1) await ground.call('GET', '/page', { headers });
    expect(lines.filter((line) => line.includes(warning))).toHaveLength(1);
    expect(lines).toHaveLength(1);
  } finally {
    await ground.stop();
  }
});
