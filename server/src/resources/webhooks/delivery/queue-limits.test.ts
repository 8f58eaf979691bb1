import { expect, test } from 'vitest';
import { changedCollectors, MAX_PARKED_PER_ENDPOINT } from './queue-limits.ts';
import { MAX_WAITING_PER_ACCOUNT, type Queue } from './parking-store.ts';

const queue = (fields: Partial<Queue>): Queue => ({
  endpointId: 'we_1',
  accountId: 'acc_1',
  status: 'active',
  collects: true,
  waiting: 0,
  ...fields,
});

test.each([
  ['a disabled endpoint collects below its limit', { status: 'disabled', waiting: MAX_PARKED_PER_ENDPOINT - 1 }, []],
  ['a disabled endpoint at its limit stops', { status: 'disabled', waiting: MAX_PARKED_PER_ENDPOINT }, [false]],
  ['an active endpoint goes on beyond it', { waiting: MAX_PARKED_PER_ENDPOINT * 2 }, []],
  ['an active endpoint stops at the limit of its account', { waiting: MAX_WAITING_PER_ACCOUNT }, [false]],
  ['a full endpoint waits for room', { status: 'disabled', collects: false, waiting: MAX_PARKED_PER_ENDPOINT / 2 }, []],
  ['a full endpoint with room collects again', { status: 'disabled', collects: false, waiting: 4_999 }, [true]],
] as const)('%s', (_sentence, fields, expected) => {
  expect(changedCollectors([queue(fields)]).map(({ collects }) => collects)).toEqual(expected);
});

test('the long queues of an account stop together, its short ones and those of other accounts go on', () => {
  const long = Array.from({ length: 10 }, (_, index) => queue({ endpointId: `we_long_${index}`, waiting: 12_000 }));
  const others = [
    queue({ endpointId: 'we_short', waiting: 9_999 }),
    queue({ endpointId: 'we_other', accountId: 'acc_2', waiting: 50_000 }),
  ];
  expect(changedCollectors([...long, ...others]).map(({ endpointId }) => endpointId)).toEqual(
    long.map(({ endpointId }) => endpointId),
  );
});
