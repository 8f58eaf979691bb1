import { expect, test } from 'vitest';
import { codeIn, returnPathOf } from '../vendure/src/order.ts';

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
