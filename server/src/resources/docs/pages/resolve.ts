import type { OpenApiDocument } from '@quittance/contract/openapi';

/** The value that a `$ref` of the document refers to, or the value itself. */
export function resolve<T>(document: OpenApiDocument, value: unknown): T {
  const ref = (value as { $ref?: string }).$ref;
  if (!ref) return value as T;
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
}
