import { RECEIVE_NETWORKS } from '@quittance/contract';
import { expect, test } from 'vitest';
import { RECEIVE_NETWORKS_SQL } from './receive-networks.ts';

test('statements name every network that a payout wallet can be on', () => {
  expect(RECEIVE_NETWORKS_SQL).toBe(RECEIVE_NETWORKS.map((network) => `'${network}'`).join(', '));
});
