import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Facilitator } from './facilitator.ts';
import { createFacilitator } from './x402.ts';

/** The configured facilitators, by network. */
export function createFacilitators(settings: Config['facilitators'], log: Logger): Map<ReceiveNetwork, Facilitator> {
  const facilitators = new Map<ReceiveNetwork, Facilitator>();
  for (const network of RECEIVE_NETWORKS) {
    const named = settings[network];
    if (named) facilitators.set(network, createFacilitator(named, log));
  }
  return facilitators;
}
