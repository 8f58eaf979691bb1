import { Type } from '@sinclair/typebox';

/** What every endpoint that the dashboard alone uses has in common. */
export const common = { tag: 'Dashboard', summary: '' } as const;
export const object = <T>() => ({
  status: 200 as const,
  data: Type.Unsafe<T>({}),
  envelope: 'object' as const,
  description: '',
});
