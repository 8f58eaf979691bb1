import { describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

const MINUTE_S = 60;

describe('all clients', () => {
  // Of different /56 within one /48.
  const neighbor = (at: number) => `2001:db8:1:${(at * 0x100).toString(16)}::1`;

  test('of an IPv6 /48 hold four times as many exact amounts as one of them', async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '1' } });
    const many = await Promise.all(Array.from({ length: 6 }, () => small.merchant.createSession()));
    const statuses = [];
    for (const [at, { id }] of many.slice(0, 5).entries())
      statuses.push((await choose(small, id, { from: neighbor(at) })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    const [, , , , fifth, sixth] = many;
    const refused = await choose(small, sixth.id, { from: neighbor(9) });
    expect(refused.body.error.message).toMatch(/^The IPv6 range \(\/48\) of this client has 4 exact amounts reserved/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(89 * MINUTE_S);
    expect((await choose(small, sixth.id, { from: '2001:db8:2::1' })).status).toBe(200);
    // An IPv4 client in the form of an IPv6 address is that client.
    expect((await choose(small, fifth.id, { from: '::ffff:203.0.113.7' })).status).toBe(200);
  });

  test('and all clients of an IPv6 /48 leave some too', async () => {
    await using small = await startApp({
      env: { RESERVED_AMOUNTS_PER_CLIENT: '2', RESERVED_AMOUNTS_PER_LINK: '10', TRUSTED_PROXIES: '10.0.0.1' },
    });
    const link = await small.merchant.live.createLink();
    const chooseNew = async (client: string) => {
      const { id } = (await small.inject('POST', `/v1/public/payment-links/${link.id}/open`)).body.data;
      const headers = { 'x-forwarded-for': client };
      return (await choose(small, id, { from: '10.0.0.1', headers })).status;
    };
    const statuses = [];
    for (let at = 0; at < 12; at += 1) statuses.push(await chooseNew(neighbor(at)));
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(7);
    expect(await chooseNew('203.0.113.7')).toBe(200);
    expect(await chooseNew('2001:db8:2::1')).toBe(200);
  });
});

function choose(
  of: TestApp,
  sessionId: string,
  { from, headers = {} }: { from: string; headers?: Record<string, string> },
) {
  const body = { pay_asset: 'USDC', pay_network: 'base' };
  return of.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, { body, from, headers });
}
