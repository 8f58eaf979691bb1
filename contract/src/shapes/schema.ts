import { Type, type TSchema, type TUnsafe } from '@sinclair/typebox';

/**
 * The name a shape has among the document's components. A symbol, so that validators do not see it and copies
 * (an optional one, one inside a union) keep it.
 */
export const COMPONENT: unique symbol = Symbol.for('quittance.component');

/** Names a shape: the document refers to it wherever it is used, and writes it out once. */
export function component<T extends TSchema>(name: string, schema: T): T {
  return Object.assign(schema, { [COMPONENT]: name });
}

/** The component's name of a shape that has one. */
export function componentName(schema: object): string | undefined {
  return (schema as { [COMPONENT]?: string })[COMPONENT];
}

/** The key is always there; its value may be null. */
export function nullable<T extends TSchema>(schema: T, options: { description?: string; examples?: unknown[] } = {}) {
  return Type.Union([schema, Type.Null()], options);
}

/** One of these strings, spelled exactly so. */
export function oneOf<const T extends readonly string[]>(
  values: T,
  options: { description?: string; examples?: unknown[]; default?: T[number] } = {},
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** What kind of object it is, for programs that are handed one. */
export function objectName<const T extends string>(name: T) {
  return Type.Literal(name, { description: `Always \`${name}\`.` });
}

/** An identifier of the service in a response, `pay_` and 24 base62 characters. */
export function id(prefix: string, description: string) {
  return Type.String({ description, pattern: `^${prefix}_[0-9A-Za-z]{24}$`, examples: [exampleId(prefix)] });
}

/** What documentation says of a value: what it is, and an example. */
export function described<Example>(
  description: string,
  example: Example,
): { description: string; examples: [Example] } {
  return { description, examples: [example] };
}

/** An identifier that a request names in its body or query. */
export function idInput(prefix: string, description: string) {
  return Type.String({ description, minLength: 1, maxLength: 100, examples: [exampleId(prefix)] });
}

/**
 * An identifier in a path. Any string is read: one that does not have the form of `idPrefix` is an object that is
 * not there, a 404 and no 400.
 */
export function pathId(prefix: string, description: string) {
  return Type.Object({ id: Type.String({ idPrefix: prefix, description, examples: [exampleId(prefix)] }) });
}

/** The prefix that a path parameter's ids have, where it is one of `pathId`. */
export function idPrefixOf(schema: object): string | undefined {
  return (schema as { idPrefix?: string }).idPrefix;
}

/** An identifier that looks like a real one, the same for every mention of the noun. */
export function exampleId(prefix: string): string {
  return `${prefix}_${EXAMPLE_BODIES[prefix] ?? '4Xq2LwZ8nT6vRb1KsYc9MdHf'}`;
}

const EXAMPLE_BODIES: Record<string, string> = {
  acc: '7mWc2KxQp9RtVb4NzLs8HdYf',
  cs: '5tGv8PqWn3LxJk7RzCm2BdHs',
  pp: '9rKd4MzXv6TqWb2LnHs8GcYf',
  pl: '2wNf7QcRk8JmXt5VzPb3LdGs',
  pay: '8hBs3VxTn6KqRw4MzLc9JdGf',
  we: '6kTz9LmWq2RvXn8PbHc4GdJs',
  evt: '3vRb8NzKt5WqLx7McHs2PdGf',
  qt: '4nLw6TxRv9KqZb3MsHc7JdPf',
  req: '7pXq5WzNk2TvRb8LsMc4HdGf',
  key: '9mJd3RxVt7KqWn5ZbLc2HsPf',
  tr: '5cWk8QzNv4TxRb6LsMd3HgPf',
  dlv: '2zNx7KtRw9VqLb4MsHc6JdPf',
  att: '8qTv3LzWn5KxRb7MsHc9GdPf',
  rct: '3kPw8NvTx5RqLb7ZcMs2HdYf',
  rf: '4mTc7RvKx2WqNb9LzHs6JdPf',
  inv: '6sJq4WxTb8NzKv2RmLc9HdPf',
};
