import { Lines } from './platform/lines.ts';
import { SECOND_MS } from './platform/time.ts';

/** What this process does a few at a time, so that what one account or network keeps waiting delays no other. */
export type AllLines = ReturnType<typeof createLines>;

export function createLines() {
  return {
    /** By network: verifying a program's credential asks it, and neither all strangers nor a few of them must occupy it. */
    credentials: new Lines({
      atOnce: 32,
      waiting: 2_000,
      // All clients of an IPv6 /48 have four times as many places, which is half of those that run at once.
      perClient: 4,
      maxWaitMs: 5 * SECOND_MS,
      message: 'Too many payments are being verified.',
      retryAfterSeconds: 5,
    }),
    /** Changes of one account may wait for one another in the database, each with one of the process's 16 connections. */
    writes: new Lines({
      atOnce: 4,
      waiting: 1_000,
      maxWaitMs: 10 * SECOND_MS,
      message: 'Too many changes of this account wait. Send fewer at once.',
      retryAfterSeconds: 1,
    }),
    /**
     * An answer contains the page of a list twice, and a batch contains many answers. The turns of `Pace` would not do:
     * the requests inside of an MCP request wait for those.
     */
    mcp: new Lines({
      atOnce: 2,
      waiting: 200,
      maxWaitMs: 30 * SECOND_MS,
      message: 'Too many MCP requests of this account wait. Send fewer at once.',
      retryAfterSeconds: 1,
    }),
    /** An account's sandbox is locked for each change. What waited for the lock in the database would hold a connection. */
    sandboxes: new Lines({
      atOnce: 1,
      waiting: 200,
      maxWaitMs: 10 * SECOND_MS,
      message: 'Too many requests for the sandbox of this account wait. Send fewer at once.',
      retryAfterSeconds: 1,
    }),
    /** A second run for one test clock would only wait for the leases of the first. */
    testDeliveries: new Lines({
      atOnce: 1,
      waiting: 200,
      maxWaitMs: 10 * SECOND_MS,
      message: 'Too many moves of the test clock of this account wait.',
      retryAfterSeconds: 1,
    }),
  };
}
