import { expect, test } from 'vitest';
import { Client, isLoopbackAddress, isLoopbackHost } from './client.ts';

test.each([
  ['203.0.113.7', 'client:203.0.113.7', null],
  ['::ffff:203.0.113.7', 'client:203.0.113.7', null],
  ['2001:db8:1:2:3:4:5:6', 'client:2001:db8:1:2::/64', 'client:2001:db8:1::/48'],
  ['2001:db8:1:2:ffff::', 'client:2001:db8:1:2::/64', 'client:2001:db8:1::/48'],
  // Of the same /56 as the one before.
  ['2001:db8:1:ff::', 'client:2001:db8:1:ff::/64', 'client:2001:db8:1::/48'],
  ['2001:db8:0:3::', 'client:2001:db8:0:3::/64', 'client:2001:db8:0::/48'],
  ['', 'client:unknown', null],
  [undefined, 'client:unknown', null],
])('%s is counted as %s, and around it as %s', (address, narrow, wide) => {
  expect(Client.at(address)).toMatchObject({ narrow, wide });
});

test('what a client does with one object is counted for that object, in both ranges', () => {
  expect(Client.at('2001:db8:1:2::3').within('pl_1')).toMatchObject({
    narrow: 'pl_1 client:2001:db8:1:2::/64',
    wide: 'pl_1 client:2001:db8:1::/48',
  });
  expect(Client.only('acc_1')).toMatchObject({ narrow: 'acc_1', wide: null });
});

test('no text and no object with the same fields is a client', () => {
  const take = (_client: Client) => {};
  // @ts-expect-error
  take('client:203.0.113.7');
  // @ts-expect-error
  take({ ...Client.at('203.0.113.7') });
});

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['8.8.8.8', false],
  ['localhost', false],
])('whether the address %s is this machine: %s', (address, is) => {
  expect(isLoopbackAddress(address)).toBe(is);
});

test.each([
  ['localhost', true],
  ['LOCALHOST:3000', true],
  ['127.0.0.1:3000', true],
  ['[::1]:3000', true],
  ['shop.localhost', true],
  ['localhost.example', false],
  ['10.0.0.1', false],
  ['example.com:3000', false],
  ['', false],
])('whether the host %s is this machine: %s', (host, is) => {
  expect(isLoopbackHost(host)).toBe(is);
});
