import { expect, test } from 'vitest';
import { saleOf } from './sale.ts';

const NOTHING = { id: 'pay_4fzqzXm2V9pQ7rT1kB3nW8yA', order_id: null, description: null, customer: null };
const anna = { name: 'Anna Berg', email: 'anna@example.com', reference: null };

test.each([
  [{ description: 'Oak stool', customer: anna }, 'Anna Berg · Oak stool'],
  [{ description: 'Oak stool', customer: { ...anna, name: null } }, 'anna@example.com · Oak stool'],
  [{ order_id: 'order-7', description: 'Oak stool' }, 'order-7 · Oak stool'],
  [{ customer: anna }, 'Anna Berg'],
  [{ customer: { name: null, email: null, reference: null } }, 'pay_4f…3nW8yA'],
  [{}, 'pay_4f…3nW8yA'],
])('a payment of %o is called %s', (said, shown) => {
  expect(saleOf({ ...NOTHING, ...said })).toBe(shown);
});
