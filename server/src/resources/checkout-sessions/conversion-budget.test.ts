import { expect, test } from 'vitest';
import { Client } from '../../platform/http/admission/client.ts';
import { HOUR_MS, later } from '../../platform/time.ts';
import { createConversionBudget } from './conversion-budget.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const client = (at: number) => Client.at(`203.0.113.${at}`);

test('the fuller the budget of an account is, the fewer conversions one client asks for, and a new client gets one', () => {
  const budget = createConversionBudget({ perAccount: 1_000, perClient: 20 });
  const counted = Array.from({ length: 50 }, (_, stranger) => {
    let own = 0;
    while (budget.take('acc_1', client(stranger), NOW).type === 'counted') own += 1;
    return own;
  });
  expect(counted.slice(0, 3)).toEqual([20, 20, 19]);
  expect(counted.at(-1)).toBe(8);
  expect(budget.take('acc_1', client(200), NOW).type).toBe('counted');
});

test('a client that has used up its share gets the end of the window, and nothing is counted', () => {
  const budget = createConversionBudget({ perAccount: 2, perClient: 2 });
  budget.take('acc_1', client(1), NOW);
  const refused = { type: 'refused', whose: 'client', used: 1, freeAt: later(NOW, HOUR_MS) };
  expect(budget.take('acc_1', client(1), later(NOW, 60_000))).toEqual(refused);
  expect(budget.take('acc_1', client(2), NOW)).toEqual({ type: 'counted' });
});

test('an account that has asked for all of its conversions waits for the end of the hour; other accounts do not', () => {
  const budget = createConversionBudget({ perAccount: 1, perClient: 1 });
  budget.take('acc_1', null, NOW);
  expect(budget.take('acc_1', null, NOW)).toMatchObject({ type: 'refused', whose: 'account' });
  expect(budget.take('acc_2', null, NOW)).toEqual({ type: 'counted' });
  expect(budget.take('acc_1', null, later(NOW, HOUR_MS))).toEqual({ type: 'counted' });
});

test('the clients of one IPv6 /48 together ask for four times as many as one of them, and leave the rest to others', () => {
  const budget = createConversionBudget({ perAccount: 1_000, perClient: 10 });
  let counted = 0;
  for (let at = 0; at < 200; at += 1) {
    const one = Client.at(`2001:db8:1:${at.toString(16)}::1`);
    if (budget.take('acc_1', one, NOW).type === 'counted') counted += 1;
  }
  expect(counted).toBeLessThanOrEqual(40);
  expect(counted).toBeGreaterThan(30);
  expect(budget.take('acc_1', Client.at('2001:db8:2::1'), NOW).type).toBe('counted');
});
