import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { CheckoutSessionShape } from '../shapes/checkout-session.ts';
import { assetInput, networkInput } from '../shapes/common.ts';
import { oneOf, pathId } from '../shapes/schema.ts';
import { TestClockShape } from '../shapes/test-helpers.ts';
import { TEST_OUTCOMES } from '../statuses.ts';

const tag = 'Test helpers';

export const testPaySession = endpoint({
  operationId: 'testPaySession',
  method: 'POST',
  path: '/v1/test_helpers/checkout/sessions/{id}/pay',
  tag,
  summary: 'Pay a test session',
  description: 'The customer of a test session pays as you say. The answer already shows the result.',
  auth: 'credential',
  scope: 'test:write',
  params: pathId('cs', 'The session.'),
  body: Type.Object({
    pay_asset: assetInput('What to pay with.'),
    pay_network: networkInput('Where.'),
    outcome: oneOf(TEST_OUTCOMES, {
      description: 'How it shall go. `late` lets the session expire first.',
      examples: ['paid'],
    }),
  }),
  success: { status: 200, data: CheckoutSessionShape, envelope: 'object', description: 'The session as it is now.' },
  invalid: 'invalid_request',
  errors: ['not_found', 'invalid_route', 'invalid_payment_state'],
  testModeOnly: true,
});

export const advanceTestClock = endpoint({
  operationId: 'advanceTestClock',
  method: 'POST',
  path: '/v1/test_helpers/clock/advance',
  tag,
  summary: 'Move the test clock',
  description:
    'Sessions and quotes of your test mode expire and its webhooks are tried again as if the time had passed. One call makes at most one more attempt per delivery. The clock never goes back.',
  auth: 'credential',
  scope: 'test:write',
  body: Type.Object({
    seconds: Type.Integer({
      description: 'How far to move it, up to a year.',
      minimum: 1,
      maximum: 366 * 86_400,
      examples: [3600],
    }),
  }),
  success: { status: 200, data: TestClockShape, envelope: 'object', description: 'The time it is now.' },
  invalid: 'invalid_request',
  errors: ['not_found'],
  testModeOnly: true,
});
