import type { TSchema } from '@sinclair/typebox';
import { componentName, idPrefixOf } from '../shapes/schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is any JSON
export type JsonSchema = Record<string, any>;

/** Collects the named shapes that a document uses, each written out once. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The schema as the document says it: a reference where the shape has a name. */
  use(schema: TSchema): JsonSchema {
    const name = componentName(schema);
    if (name === undefined) return this.#write(schema);
    if (!this.#schemas.has(name)) {
      // Reserved before it is written, so that a shape may mention itself.
      this.#schemas.set(name, {});
      this.#schemas.set(name, this.#write(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  written(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #write(schema: TSchema): JsonSchema {
    const nullable = this.#nullable(schema);
    if (nullable) return nullable;

    const written: JsonSchema = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'idPrefix') written.pattern = `^${idPrefixOf(schema)}_[0-9A-Za-z]{24}$`;
      // What an error message says is of no use to a reader of the schema.
      else if (key === 'rule' || key === 'text') continue;
      else if (key === 'propertyNames') written.propertyNames = this.#write(value as TSchema);
      else if (key === 'properties')
        written.properties = mapValues(value as Record<string, TSchema>, (property) => this.use(property));
      else if (key === 'items') written.items = this.use(value as TSchema);
      else if (key === 'anyOf') written.anyOf = (value as TSchema[]).map((member) => this.use(member));
      else written[key] = value;
    }
    return written;
  }

  /** `string | null` is one schema of two types where that says the same; readers and generators prefer it. */
  #nullable(schema: TSchema): JsonSchema | undefined {
    const members = schema.anyOf as TSchema[] | undefined;
    if (members?.length !== 2 || members[1]?.type !== 'null') return undefined;
    const [member] = members as [TSchema];
    if (componentName(member) || typeof member.type !== 'string' || member.const !== undefined) return undefined;

    const { anyOf: _, ...own } = schema;
    const written = { ...this.#write(member), ...own };
    if (written.enum) written.enum = [...written.enum, null];
    return { ...written, type: [member.type, 'null'] };
  }
}

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

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
