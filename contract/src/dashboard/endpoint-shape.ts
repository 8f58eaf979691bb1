import { Type } from '@sinclair/typebox';

/** The fields that all endpoints of the dashboard share. */
export const common = { tag: 'Dashboard', summary: '' } as const;
export const object = <T>() => ({
  status: 200 as const,
  data: Type.Unsafe<T>({}),
  envelope: 'object' as const,
  description: '',
});
