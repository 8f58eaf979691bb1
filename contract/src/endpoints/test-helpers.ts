import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { CheckoutSessionShape } from '../shapes/checkout-session.ts';
import { assetInput, networkInput } from '../shapes/common.ts';
import { oneOf, pathId, described } from '../shapes/schema.ts';
import { TestClockShape } from '../shapes/test-helpers.ts';
import { TEST_OUTCOMES } from '../statuses.ts';

const tag = 'Test helpers';
const MAX_DAYS_AT_ONCE = 366;

const testPaySession = endpoint({
  method: 'POST',
  path: '/v1/test_helpers/checkout/sessions/{id}/pay',
  tag,
  summary: 'Pay a test session',
  description: 'Simulates the customer of a test session. The response already shows the result.',
  auth: 'credential',
  scope: 'test:write',
  params: pathId('cs', 'The session.'),
  body: Type.Object({
    pay_asset: assetInput('The asset to pay with.'),
    pay_network: networkInput('The network.'),
    outcome: oneOf(TEST_OUTCOMES, described('The outcome to simulate. `late` expires the session first.', 'paid')),
  }),
  success: { status: 200, data: CheckoutSessionShape, envelope: 'object', description: 'The updated session.' },
  errors: ['not_found', 'invalid_route', 'invalid_payment_state'],
  testModeOnly: true,
});

const advanceTestClock = endpoint({
  method: 'POST',
  path: '/v1/test_helpers/clock/advance',
  tag,
  summary: 'Advance the test clock',
  description:
    'Sessions and quotes in test mode expire and webhooks are retried as if the time had passed. Each ' +
    'call makes at most one more attempt per delivery. The clock can only move forward, at most 10 years ' +
    '(3,660 days) ahead of real time.',
  auth: 'credential',
  scope: 'test:write',
  body: Type.Object({
    seconds: Type.Integer({
      description: `Seconds to advance the clock, up to ${MAX_DAYS_AT_ONCE} days.`,
      minimum: 1,
      maximum: MAX_DAYS_AT_ONCE * 86_400,
      examples: [3600],
    }),
  }),
  success: { status: 200, data: TestClockShape, envelope: 'object', description: 'The new time.' },
  errors: ['not_found'],
  testModeOnly: true,
});

export const testHelperEndpoints = { testPaySession, advanceTestClock };
