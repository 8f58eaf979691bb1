import { LIMITS } from '../shapes/common.ts';
import { exampleId } from '../shapes/schema.ts';

/** Headers that many operations read. */
export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A unique string that you choose for this request. Retries with the same key return the first response.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength },
    example: 'order-1042-checkout',
  },
  ServiceMode: {
    name: 'Service-Mode',
    in: 'header',
    required: false,
    description: 'The mode of a login token. Ignored for secret keys, which have their own mode.',
    schema: { type: 'string', enum: ['live', 'test'], default: 'live' },
    example: 'test',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The ID of the last event you received. The stream resumes after it.',
    schema: { type: 'string', maxLength: 100 },
    example: exampleId('evt'),
  },
};

export function parameterRef(name: keyof typeof PARAMETERS): { $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}
