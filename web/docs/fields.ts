import type { OpenApiDocument } from '@quittance/contract/openapi';
import { html, type Html, inline, separated } from './html.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is any JSON
type Schema = Record<string, any>;

export const REQUIRED = html` <span class="required">required</span>`;

/** The fields of an object, with the fields of nested objects below them. */
export function fieldsOf(document: OpenApiDocument, schema: Schema): Html {
  const object = resolved(document, schema);
  const required = new Set<string>(object.required ?? []);
  return html`<dl class="fields">
${Object.entries((object.properties ?? {}) as Record<string, Schema>).map(
  ([name, field]) => html`<div>
<dt><code>${name}</code> <span class="type">${typeOf(document, field)}</span>${required.has(name) && REQUIRED}</dt>
<dd>${inline(descriptionOf(document, field))}${limitsOf(resolved(document, field))}${innerOf(document, field)}</dd></div>
`,
)}</dl>`;
}

/** The type of a value in a few words, with a link if it is an object with its own section. */
export function typeOf(document: OpenApiDocument, schema: Schema): Html {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) as string;
    return html`<a href="/docs/objects#${name}">${name}</a>`;
  }
  if (schema.anyOf)
    return separated(
      (schema.anyOf as Schema[]).map((member) => typeOf(document, member)),
      ' or ',
    );
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  if (schema.type === 'array' || (Array.isArray(schema.type) && schema.type.includes('array')))
    return html`list of ${schema.items ? typeOf(document, schema.items) : 'anything'}`;
  if (Array.isArray(schema.type)) return html`${schema.type.join(' or ')}`;
  return html`${schema.format ?? schema.type ?? 'anything'}`;
}

function descriptionOf(document: OpenApiDocument, schema: Schema): string {
  return schema.description ?? resolved(document, schema).description ?? '';
}

function limitsOf(schema: Schema): Html | null {
  const values = (schema.enum as unknown[] | undefined)?.filter((value) => value !== null);
  const notes = [
    schema.default !== undefined && html`default <code>${String(schema.default)}</code>`,
    schema.maxLength !== undefined && html`at most ${schema.maxLength} characters`,
    schema.minimum !== undefined && schema.maximum !== undefined && html`${schema.minimum} to ${schema.maximum}`,
    schema.maxItems !== undefined && html`at most ${schema.maxItems}`,
  ].filter((note) => note !== false);
  const codes = (values ?? []).map((value) => html`<code>${String(value)}</code>`);
  const listed = codes.length > 1 && html`<span class="values">${separated(codes, ' ')}</span>`;
  return html`${listed}${notes.length > 0 && html`<span class="limits">${separated(notes, ', ')}</span>`}`;
}

/** The fields of an unnamed object, folded. */
function innerOf(document: OpenApiDocument, schema: Schema): Html | null {
  const inner = (schema.type === 'array' ? schema.items : schema) as Schema | undefined;
  if (!inner || inner.$ref || !inner.properties) return null;
  return html`<details class="inner"><summary>Fields</summary>${fieldsOf(document, inner)}</details>`;
}

function resolved(document: OpenApiDocument, schema: Schema): Schema {
  if (!schema.$ref) return schema;
  return document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema;
}

/** Every object of the API's responses. */
export function objectsPage(document: OpenApiDocument): Html {
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !/^Payment\w+Event$/.test(name));
  return html`<h1>Objects</h1>
<p class="lead">The objects in responses and events. New fields may be added at any time, so ignore unknown fields.</p>
${schemas.map(
  ([name, schema]) => html`<section class="object" id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title"><a href="#${name}">${name}</a></h2>
<p>${inline(schema.description)}</p>
${schema.properties ? fieldsOf(document, schema) : valuesOf((schema.enum ?? []) as string[])}
</section>
`,
)}`;
}

function valuesOf(values: readonly string[]): Html {
  return html`<p class="values">${values.map((value) => html`<code>${value}</code> `)}</p>`;
}
