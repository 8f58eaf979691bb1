import type { TSchema } from '@sinclair/typebox';

/** A value that the schema describes, made of the examples its properties give. */
export function exampleOf(schema: TSchema): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.properties) return exampleOfObject(schema, Object.keys(schema.properties));
  if (schema.anyOf) return exampleOf(schema.anyOf[0]);
  if (schema.type === 'array') return schema.items ? [exampleOf(schema.items)] : [];
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object') return {};
  return schema.type === 'null' ? null : undefined;
}

/** The same with the required properties only: the least that does. */
export function leastExampleOf(schema: TSchema): unknown {
  return exampleOfObject(schema, schema.required ?? []);
}

function exampleOfObject(schema: TSchema, keys: string[]): unknown {
  return Object.fromEntries(
    keys.map((key) => [key, exampleOf(schema.properties[key])]).filter(([, value]) => value !== undefined),
  );
}
