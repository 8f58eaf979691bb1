import { Type } from '@sinclair/typebox';

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
