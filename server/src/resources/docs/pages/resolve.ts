import type { OpenApiDocument } from '@quittance/contract/openapi';

/** What a reference of the document stands for, or the value itself where it is none. */
export function resolve<T>(document: OpenApiDocument, value: unknown): T {
  const ref = (value as { $ref?: string }).$ref;
  if (!ref) return value as T;
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
}
