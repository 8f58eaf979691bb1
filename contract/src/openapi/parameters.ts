import { LIMITS } from '../shapes/common.ts';
import { exampleId } from '../shapes/schema.ts';

/** Headers that many operations read. */
export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Any string of your own, unique to this request. Sent again with it, the request is answered from the first one.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength },
    example: 'order-1042-checkout',
  },
  ServiceMode: {
    name: 'Service-Mode',
    in: 'header',
    required: false,
    description: 'The mode of a login token. A secret key has its own and does not look at this.',
    schema: { type: 'string', enum: ['live', 'test'], default: 'live' },
    example: 'test',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The id of the last event that was received, to go on after it.',
    schema: { type: 'string', maxLength: 100 },
    example: exampleId('evt'),
  },
};

export function parameterRef(name: keyof typeof PARAMETERS): { $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}
