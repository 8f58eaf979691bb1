import { Type } from '@sinclair/typebox';
import { instantInput } from '../shapes/common.ts';
import { oneOf } from '../shapes/schema.ts';
import { BALANCES, PAYMENT_STATUSES, ROUTES } from '../statuses.ts';

/** What endpoints of the dashboard have if they say nothing else. */
export const common = { tag: 'Dashboard', summary: '', auth: 'login', invalid: 'invalid_request' } as const;
export const object = <T>() => ({
  status: 200 as const,
  data: Type.Unsafe<T>({}),
  envelope: 'object' as const,
  description: '',
});

/** A name that a browser has made up: for itself, or for what it may ask for again. */
export const madeUpName = Type.String({
  pattern: '^[0-9A-Za-z_-]{1,64}$',
  rule: '1 to 64 letters, digits, hyphens and underscores',
});

/** The filters of the list of payments that the page has. */
export const paymentFilter = {
  status: Type.Optional(oneOf(PAYMENT_STATUSES)),
  route: Type.Optional(oneOf(ROUTES)),
  balance: Type.Optional(oneOf(BALANCES)),
  created_after: Type.Optional(instantInput('Only payments created at or after this time.')),
  created_before: Type.Optional(instantInput('Only payments created before this time.')),
  payment_link_id: Type.Optional(Type.String({ maxLength: 64 })),
};
