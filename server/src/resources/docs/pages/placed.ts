import type { Operation } from '@quittance/contract/openapi';

/** An operation and where it stands. */
export interface Placed {
  method: string;
  path: string;
  operation: Operation;
}
