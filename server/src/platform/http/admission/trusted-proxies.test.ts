import { expect, test } from 'vitest';
import { clientOfRawHead, trustedProxies } from './trusted-proxies.ts';

test.each([
  ['10.0.0.1', ['10.0.0.1'], true],
  ['10.0.0.2', ['10.0.0.1'], false],
  ['::ffff:10.0.0.1', ['10.0.0.0/8'], true],
  ['11.0.0.1', ['10.0.0.0/8'], false],
  ['127.8.8.8', ['loopback'], true],
  ['::1', ['loopback'], true],
  ['192.168.4.4', ['uniquelocal'], true],
  ['fd00::1', ['uniquelocal'], true],
  ['fe80::1', ['linklocal'], true],
  ['2001:db8::1', ['2001:db8::/32'], true],
  ['2001:db9::1', ['2001:db8::/32'], false],
  ['nonsense', ['10.0.0.0/8'], false],
  ['', ['10.0.0.0/8'], false],
  [undefined, ['10.0.0.0/8'], false],
])('%s by %j: %s', (address, list, expected) => expect(trustedProxies(list)(address)).toBe(expected));

test('several headers are one chain, and a chain of proxies alone ends at its first', () => {
  const isTrusted = trustedProxies(['10.0.0.0/8']);
  expect(
    clientOfRawHead(
      '10.0.0.1',
      'GET / HTTP/1.1\r\nX-Forwarded-For: 203.0.113.9\r\nx-forwarded-for: 10.0.0.7\r\n',
      isTrusted,
    ),
  ).toBe('203.0.113.9');
  expect(clientOfRawHead('10.0.0.1', 'X-Forwarded-For: 10.0.0.9, 10.0.0.7\r\n', isTrusted)).toBe('10.0.0.9');
  expect(clientOfRawHead('10.0.0.1', 'GET /?x-forwarded-for: 1.2.3.4 HTTP/1.1\r\n', isTrusted)).toBeUndefined();
  expect(clientOfRawHead('203.0.113.1', 'X-Forwarded-For: 198.51.100.7\r\n', isTrusted)).toBe('203.0.113.1');
});
