import { MINUTE_MS } from '../../platform/time.ts';

/** A worker with nothing to read on a network asks for its newest block this often, so that others know that it can. */
export const PROBE_EVERY_MS = 1 * MINUTE_MS;
