import { expect, test } from 'vitest';
import { clientBucket, isLoopbackAddress, isLoopbackHost, widerBucket } from './client.ts';

test.each([
  ['203.0.113.7', 'client:203.0.113.7'],
  ['::ffff:203.0.113.7', 'client:203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', 'client:2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::', 'client:2001:db8:1:2::/64'],
  ['2001:db8:1:3::', 'client:2001:db8:1:3::/64'],
  ['', 'client:unknown'],
])('%s is counted as %s', (address, bucket) => {
  expect(clientBucket(address)).toBe(bucket);
});

test.each([
  ['client:2001:db8:1:2::/64', 'client:2001:db8:1::/48'],
  ['client:2001:db8:0:2::/64', 'client:2001:db8:0::/48'],
  ['pl_1 client:2001:db8:1:2::/64', 'pl_1 client:2001:db8:1::/48'],
  ['client:203.0.113.7', undefined],
  ['client:unknown', undefined],
  ['acc_1:live:key', undefined],
])('the bucket around %s is %s', (key, wider) => {
  expect(widerBucket(key)).toBe(wider);
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
