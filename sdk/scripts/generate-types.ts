import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '@quittance/contract/openapi';

/**
 * Writes `src/types.gen.ts` from the OpenAPI document: one type per component, one per request body and query. With
 * `--check` it only compares, and fails if the contract has changed.
 */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  description?: string;
}

interface Operation {
  operationId: string;
  parameters?: (
    | { name: string; in: string; required?: boolean; description?: string; schema: Schema }
    | { $ref: string }
  )[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Document {
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, { name: string; in: string; required?: boolean; description?: string; schema: Schema }>;
  };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
}

// The union of its types replaces the API's `Event`; `Error` is the language's own.
const RENAMED: Record<string, string> = { Event: 'AnyEvent', Error: 'ErrorAnswer' };

// Fewer fields are shorter than the name of the object that has them.
const MIN_SHARED_FIELDS = 3;

const file = new URL('../src/types.gen.ts', import.meta.url);
const document = openApiDocument() as unknown as Document;
const text = generate(document);

if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error('sdk/src/types.gen.ts is not what the OpenAPI document says. Run: npm run generate -w sdk');
    process.exit(1);
  }
} else {
  await writeFile(file, text);
}

function generate({ components, paths, webhooks }: Document): string {
  const parts = ['// Generated from the OpenAPI document by scripts/generate-types.ts. Do not edit.\n'];
  for (const [name, schema] of Object.entries(components.schemas))
    parts.push(declaration(name, schema, baseOf(schema, components.schemas)));

  const eventsOf = (noun: string) =>
    Object.entries(webhooks)
      .filter(([type]) => type.startsWith(`${noun}.`))
      .map(([, { post }]) => `  | ${typeOf(post.requestBody?.content['application/json']?.schema ?? {})}`)
      .join('\n');
  parts.push(
    `/** Any event of a payment, distinguished by its \`type\`. */\nexport type Event =\n${eventsOf('payment')};\n`,
    `/** Any event of a refund. Only endpoints that name its type get it. */\nexport type RefundEvent =\n${eventsOf('refund')};\n`,
  );

  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const name = operation.operationId.slice(0, 1).toUpperCase() + operation.operationId.slice(1);
    const body = operation.requestBody?.content['application/json']?.schema;
    if (body) parts.push(declaration(`${name}Body`, body));
    const query = (operation.parameters ?? [])
      .map((parameter) =>
        '$ref' in parameter ? components.parameters?.[parameter.$ref.split('/').at(-1) ?? ''] : parameter,
      )
      .filter((parameter) => parameter?.in === 'query');
    if (query.length > 0) {
      parts.push(
        declaration(`${name}Query`, {
          type: 'object',
          properties: Object.fromEntries(
            query.map((parameter) => [parameter?.name, { ...parameter?.schema, description: parameter?.description }]),
          ),
          required: query.filter((parameter) => parameter?.required).map((parameter) => parameter?.name ?? ''),
        }),
      );
    }
  }
  return `${parts.join('\n')}`;
}

type Named = readonly [name: string, schema: Schema];

/** The largest other object whose fields this one repeats, word for word. Only what it adds is written. */
function baseOf(schema: Schema, all: Record<string, Schema>): Named | undefined {
  const own = new Set(fieldsOf(schema));
  return Object.entries(all)
    .map((named) => [named, fieldsOf(named[1])] as const)
    .filter(([, fields]) => fields.length >= MIN_SHARED_FIELDS && fields.length < own.size)
    .filter(([, fields]) => fields.every((field) => own.has(field)))
    .sort(([, one], [, other]) => other.length - one.length)[0]?.[0];
}

function declaration(name: string, schema: Schema, base?: Named): string {
  const shared = new Set(base && fieldsOf(base[1]));
  const added = fieldsOf(schema).filter((field) => !shared.has(field));
  const type = base ? `${RENAMED[base[0]] ?? base[0]} & ${braces(added, '')}` : typeOf(schema);
  return `${comment(schema.description, '')}export type ${RENAMED[name] ?? name} = ${type};\n`;
}

function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? 'unknown';
    return RENAMED[name] ?? name;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return [...new Set(union.map((member) => typeOf(member, indent)))].join(' | ');
  if (schema.allOf) return schema.allOf.map((member) => typeOf(member, indent)).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array': {
      const item = typeOf(schema.items ?? {}, indent);
      return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectOf(schema, indent);
    default:
      return 'unknown';
  }
}

function objectOf(schema: Schema, indent: string): string {
  const values =
    Object.values(schema.patternProperties ?? {})[0] ??
    (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
  const fields = fieldsOf(schema, indent);
  if (fields.length === 0) return `Record<string, ${values ? typeOf(values, indent) : 'unknown'}>`;
  return braces(fields, indent);
}

function fieldsOf(schema: Schema, indent = ''): string[] {
  const inner = `${indent}  `;
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    const key = /^[a-zA-Z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${comment(property.description, inner)}${inner}${key}${optional}: ${typeOf(property, inner)};`;
  });
}

function braces(fields: readonly string[], indent: string): string {
  return `{\n${fields.join('\n')}\n${indent}}`;
}

function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /')} */\n` : '';
}
