import type { TSchema } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { endpoints } from './index.ts';

const ajv = new Ajv2020({ strict: false, coerceTypes: false });
addFormats.default(ajv);

/** Where the schema refuses the value, or undefined where it takes it. */
function refusal(schema: TSchema | undefined, value: unknown): string | undefined {
  const validate = ajv.compile(schema ?? {});
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath.slice(1) ?? ''} ${error?.keyword}`.trim();
}

describe('amounts', () => {
  test.each(['0.01', '0.1', '1', '49', '49.0', '49.00', '999999999.99', '0.99', '10'])('%s is one', (amount) => {
    expect(refusal(endpoints.createCheckoutSession.body, { amount })).toBeUndefined();
  });

  test.each([
    '',
    '0',
    '0.0',
    '0.00',
    '-1',
    '+1',
    '.5',
    '5.',
    '1.001',
    '01',
    '00.10',
    '1e3',
    '1,00',
    ' 1',
    '1 ',
    '1\n',
    '1000000000',
    'NaN',
    'Infinity',
    '٤٩',
    '0x10',
  ])('%j is not an amount', (amount) => {
    expect(refusal(endpoints.createCheckoutSession.body, { amount })).toBe('amount pattern');
  });

  test.each([49, true, null, ['49'], {}])('%j is not a string and is not converted to one', (amount) => {
    expect(refusal(endpoints.createCheckoutSession.body, { amount })).toBe('amount type');
  });
});

describe('a checkout session', () => {
  const whole = endpoints.createCheckoutSession.body;

  test.each([
    [{}, 'required'],
    [{ amount: '1', currency: 'usd' }, 'currency enum'],
    [{ amount: '1', currency: 'GBP' }, 'currency enum'],
    [{ amount: '1', expires_in: 59 }, 'expires_in minimum'],
    [{ amount: '1', expires_in: 2_592_001 }, 'expires_in maximum'],
    [{ amount: '1', expires_in: 60.5 }, 'expires_in type'],
    [{ amount: '1', expires_in: '60' }, 'expires_in type'],
    [{ amount: '1', accepted_assets: [] }, 'accepted_assets minItems'],
    [{ amount: '1', accepted_assets: 'USDC_BASE' }, 'accepted_assets type'],
    [{ amount: '1', accepted_assets_mode: 'some' }, 'accepted_assets_mode enum'],
    [{ amount: '1', description: 'x'.repeat(501) }, 'description maxLength'],
    [{ amount: '1', order_id: 'x'.repeat(201) }, 'order_id maxLength'],
    [{ amount: '1', order_id: 7 }, 'order_id type'],
    [{ amount: '1', metadata: { a: 1 } }, 'metadata/a type'],
    [{ amount: '1', metadata: { a: 'x'.repeat(501) } }, 'metadata/a maxLength'],
    [{ amount: '1', metadata: { ['x'.repeat(41)]: '' } }, 'metadata maxLength'],
    [{ amount: '1', metadata: pairs(51) }, 'metadata maxProperties'],
    [{ amount: '1', metadata: { 'two\nlines': 1 } }, 'metadata/two\nlines type'],
    [{ amount: '1', metadata: [] }, 'metadata type'],
    [{ amount: '1', line_items: [{ name: 'a', quantity: 0, amount: '1' }] }, 'line_items/0/quantity minimum'],
    [{ amount: '1', line_items: [{ name: 'a', quantity: 1.5, amount: '1' }] }, 'line_items/0/quantity type'],
    [{ amount: '1', line_items: [{ name: 'a', quantity: 1 }] }, 'line_items/0 required'],
    [
      { amount: '1', line_items: Array.from({ length: 101 }, () => ({ name: 'a', quantity: 1, amount: '1' })) },
      'line_items maxItems',
    ],
    [{ amount: '1', line_items: [{ name: 'x'.repeat(251), quantity: 1, amount: '1' }] }, 'line_items/0/name maxLength'],
    ['49', 'type'],
    [null, 'type'],
    [[], 'type'],
  ])('%j is refused', (body, where) => {
    expect(refusal(whole, body)).toBe(where);
  });

  test.each([
    { amount: '1' },
    { amount: '1', payout_address: '0x0', anything: { else: true } },
    { amount: '1', description: '😀'.repeat(500) },
    { amount: '1', metadata: pairs(50), expires_in: 60 },
    { amount: '1', metadata: {} },
    { amount: '1', expires_in: 2_592_000, accepted_assets: ['usdc_base'] },
    { amount: '1', line_items: [{ name: 'Discount', quantity: 1, amount: '-5.00' }] },
  ])('%j is taken', (body) => {
    expect(refusal(whole, body)).toBeUndefined();
  });
});

test('an email code has exactly six characters', () => {
  const email = 'a@b.example';
  for (const code of ['12345', '1234567', ''])
    expect(refusal(endpoints.verifyEmailCode.body, { email, code })).toMatch(/^code (min|max)Length$/);
  expect(refusal(endpoints.verifyEmailCode.body, { email, code: 'k7mq2x' })).toBeUndefined();
});

test('a refund may say nothing, and its reason at most 280 characters', () => {
  expect(refusal(endpoints.recordRefund.body, {})).toBeUndefined();
  expect(refusal(endpoints.recordRefund.body, { reason: 'x'.repeat(280) })).toBeUndefined();
  expect(refusal(endpoints.recordRefund.body, { reason: 'x'.repeat(281) })).toBe('reason maxLength');
  expect(endpoints.recordRefund.bodyOptional).toBe(true);
});

test('a webhook endpoint asks for at least one of the nine events', () => {
  const url = 'https://shop.example.com/hooks';
  expect(refusal(endpoints.createWebhookEndpoint.body, { url, events: [] })).toBe('events minItems');
  expect(refusal(endpoints.createWebhookEndpoint.body, { url, events: ['checkout_session.created'] })).toBe(
    'events/0 enum',
  );
  expect(refusal(endpoints.createWebhookEndpoint.body, { url: 'shop.example.com', events: ['payment.paid'] })).toBe(
    'url format',
  );
});

test.each([
  ['2026-03-01', true],
  ['2026-03-01T10:00', true],
  ['2026-03-01T10:00:00Z', true],
  ['2026-03-01T10:00:00.123+02:00', true],
  ['yesterday', false],
  ['1773480413', false],
  ['2026-3-1', false],
  ['', false],
])('payments created after %j: %s', (created_after, taken) => {
  expect(refusal(endpoints.listPayments.query, { created_after }) === undefined).toBe(taken);
});

test.each([
  [0, false],
  [1, true],
  [100, true],
  [101, false],
  ['5', false],
])('a limit of %j: %s', (limit, taken) => {
  expect(refusal(endpoints.listPayments.query, { limit }) === undefined).toBe(taken);
});

test('routes, statuses and modes are what the specification names', () => {
  expect(refusal(endpoints.listPayments.query, { status: 'done' })).toBe('status enum');
  expect(refusal(endpoints.listPayments.query, { route: 'bridge' })).toBe('route enum');
  expect(refusal(endpoints.createApiKey.body, { mode: 'sandbox' })).toBe('mode enum');
  expect(refusal(endpoints.issueNonce.body, { address: '0x0', network: 'base' })).toBe('network enum');
});

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 'value']));
}
