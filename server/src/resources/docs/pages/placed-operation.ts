import type { Operation } from '@quittance/contract/openapi';

/** An operation and its place in the docs. */
export interface PlacedOperation {
  method: string;
  path: string;
  operation: Operation;
}
