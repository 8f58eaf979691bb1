import { endpoints } from '@quittance/contract';

export interface IdempotencyVector {
  path: string;
  /** Whether the endpoint has idempotency keys. If not, a request whose answer was lost is not sent again. */
  keyed: boolean;
}

/** Every POST of the API. */
export function idempotencyVectors(): IdempotencyVector[] {
  return Object.values(endpoints)
    .filter(({ method }) => method === 'POST')
    .map(({ path, idempotent }) => ({ path: path.replaceAll(/\{\w+\}/g, 'id_1'), keyed: idempotent }));
}
