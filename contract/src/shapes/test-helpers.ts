import { Type } from '@sinclair/typebox';
import { TEST_OUTCOMES } from '../statuses.ts';
import { timestamp } from './common.ts';
import { component } from './schema.ts';

export const TEST_ACTIONS = [...TEST_OUTCOMES, 'unconfirmed', 'add_block', 'expire'] as const;
export type TestAction = (typeof TEST_ACTIONS)[number];

export const TestClockShape = component(
  'TestClock',
  Type.Object(
    {
      now: timestamp("The current time in the account's test mode."),
    },
    { description: 'The test clock.' },
  ),
);

/** How far a test clock may run ahead of real time: ten years. The schema of the database says so too. */
export const MAX_TEST_CLOCK_AHEAD_DAYS = 3_660;
