import type { OpenApiDocument, Operation } from '@quittance/contract/openapi';

/** An operation and its place in the docs. */
export interface PlacedOperation {
  method: string;
  path: string;
  operation: Operation;
}

export function operationsOf(document: OpenApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The value that a `$ref` of the document refers to, or the value itself. */
export function resolve<T>(document: OpenApiDocument, value: unknown): T {
  const ref = (value as { $ref?: string }).$ref;
  if (!ref) return value as T;
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
}
