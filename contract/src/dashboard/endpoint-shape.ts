import { Type } from '@sinclair/typebox';

/** What endpoints of the dashboard have if they say nothing else. */
export const common = { tag: 'Dashboard', summary: '', auth: 'login', invalid: 'invalid_request' } as const;
export const object = <T>() => ({
  status: 200 as const,
  data: Type.Unsafe<T>({}),
  envelope: 'object' as const,
  description: '',
});

/** The name that a browser has made up for itself. */
export const holder = Type.String({ minLength: 1, maxLength: 64 });
