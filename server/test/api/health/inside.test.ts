import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { startApp } from '../../support/index.ts';
import { failingChain } from './failing-chain.ts';

test.each([
  ['x-forwarded-for', '203.0.113.9'],
  ['x-real-ip', '203.0.113.9'],
  ['via', '1.1 proxy'],
  ['forwarded', 'for=203.0.113.9'],
  ['x-forwarded-proto', 'https'],
  ['x-forwarded-host', 'pay.example.com'],
  ['x-forwarded-server', 'proxy'],
  ['x-forwarded-port', '443'],
  ['cf-connecting-ip', '203.0.113.9'],
  ['true-client-ip', '203.0.113.9'],
  ['fastly-client-ip', '203.0.113.9'],
  ['x-client-ip', '203.0.113.9'],
  ['x-cluster-client-ip', '203.0.113.9'],
  ['cdn-loop', 'cdn.example'],
])('a request with %s is not from inside, whichever proxy sent it', async (name, value) => {
  const said = 'project id 0123456789abcdef is over its limit';
  await using app = await startApp({ overrides: failingChain(said) });
  const ask = (path: string, headers = {}) => app.inject('GET', path, { from: '10.0.0.5', headers });
  expect((await ask('/metrics')).status).toBe(200);
  expect((await ask('/metrics', { [name]: value })).status).toBe(404);
  expect((await ask('/readyz')).raw).toContain(said);
  expect((await ask('/readyz', { [name]: value })).raw).not.toContain(said);
});

test('a peer that is a trusted proxy is never inside, whatever its headers say', async () => {
  await using app = await startApp({ env: { TRUSTED_PROXIES: '10.0.0.0/8' } });
  expect((await app.inject('GET', '/metrics', { from: '10.0.0.5' })).status).toBe(404);
  expect((await app.inject('GET', '/metrics', { from: '::ffff:10.0.0.5' })).status).toBe(404);
  expect((await app.inject('GET', '/metrics', { from: '192.168.0.5' })).status).toBe(200);
  expect((await app.inject('GET', '/metrics', { from: '203.0.113.9' })).status).toBe(404);
  const [metrics, unknown] = await Promise.all(
    ['/metrics', '/no-such-path'].map(async (path) => {
      const { status, body } = await app.inject('GET', path, { from: '10.0.0.5' });
      return [status, body.error.code, body.error.message, Object.keys(body.error)];
    }),
  );
  expect(metrics).toEqual(unknown);
});

test('with a port of its own, the metrics are there and nowhere else', async () => {
  const port = await freePort();
  await using app = await startApp({
    listen: true,
    env: { METRICS_PORT: String(port), TRUSTED_PROXIES: 'loopback', RPC_BASE_URLS: 'http://127.0.0.1:9/a-secret-key' },
  });
  const monitoring = `http://127.0.0.1:${port}`;
  const metrics = await fetch(`${monitoring}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  expect(await metrics.text()).toContain('quittance_ready 1');
  expect((await fetch(`${monitoring}/readyz`)).status).toBe(200);
  expect((await fetch(`${monitoring}/v1/payments`)).status).toBe(404);
  expect((await app.inject('GET', '/metrics', { from: '192.168.0.5' })).status).toBe(404);
  expect((await app.inject('GET', '/readyz')).body.networks.base.providers[0].last_error).toBeNull();
  // As browsers keep them in reserve. The service ends all the same.
  const spare = connect(port, '127.0.0.1').on('error', () => {});
  await once(spare, 'connect');
});
