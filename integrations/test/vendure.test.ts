import { expect, test } from 'vitest';
import { decide } from '../src/core.ts';
import { PAYMENT } from '../src/cases.ts';
import { configure } from '../vendure/src/options.ts';
import { codeIn, returnPathOf, shopOrderOf } from '../vendure/src/order.ts';

configure({
  key: 'sk_live_1',
  baseUrl: 'https://pay.example.com',
  webhookSecret: 'whsec_1',
  serverUrl: 'https://shop.example.com',
  returnUrl: 'https://shop.example.com/thanks/{order}',
});

test('money for an order that Vendure deleted is not captured, and a person is asked about it once', () => {
  const session = { sessionId: 'cs_1', currency: 'USD', applied: null } as never;
  const first = decide(shopOrderOf(null, [], [session]), { ...PAYMENT, status: 'paid' });
  expect(first.steps).toEqual([{ type: 'review', why: 'order_canceled' }]);
  const again = { ...(session as object), applied: first.applied } as never;
  expect(decide(shopOrderOf(null, [], [again]), { ...PAYMENT, status: 'paid' }).steps).toEqual([]);
  const short = { ...PAYMENT, status: 'refund_required', failure_reason: 'underpaid' };
  expect(decide(shopOrderOf(null, [], [session]), short).steps).toEqual([{ type: 'review', why: 'underpaid' }]);
});

test.each([
  ['T3ZCPFZJ19X8LHKM', '/quittance/return/T3ZCPFZJ19X8LHKM'],
  ['2026/0007', '/quittance/return/2026%2F0007'],
  ['Nº 7 #1?', '/quittance/return/N%C2%BA%207%20%231%3F'],
  ["$& 100% of {order} '", "/quittance/return/%24%26%20100%25%20of%20%7Border%7D%20'"],
  ['ü'.repeat(255), `/quittance/return/${'%C3%BC'.repeat(255)}`],
])('an order with the code %s is found when its customer returns', (code, path) => {
  expect(returnPathOf(code)).toBe(path);
  const below = path.slice('/quittance/return'.length);
  for (const url of [below, `${below}/`, `${below}?utm_source=mail`, `${below}/?a=/b`]) expect(codeIn(url)).toBe(code);
});

test('another address of the return is of no order', () => {
  for (const url of [undefined, '', '/', '//', '/?order=1', '/a/b', '/%', '/%C3', `/${'a'.repeat(256)}`])
    expect(codeIn(url)).toBeUndefined();
});
