import { MINUTE_MS } from '../../platform/time.ts';

/** A worker with nothing to read on a network asks for its head this often, to report that the network is reachable. */
export const PROBE_EVERY_MS = 1 * MINUTE_MS;
