import type { OpenApiDocument } from '@quittance/contract/openapi';
import { fieldsOf } from './fields.ts';
import { html, type Html, inline } from './html.ts';

/** Every object of the API's responses. */
export function objectsPage(document: OpenApiDocument): Html {
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !/^Payment\w+Event$/.test(name));
  return html`<h1>Objects</h1>
<p class="lead">The objects in responses and events. New fields may be added at any time, so ignore unknown fields.</p>
${schemas.map(
  ([name, schema]) => html`<section class="object" id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title"><a href="#${name}">${name}</a></h2>
<p>${inline(schema.description)}</p>
${schema.properties ? fieldsOf(document, schema) : html`<p class="values">${((schema.enum ?? []) as string[]).map((value) => html`<code>${value}</code> `)}</p>`}
</section>
`,
)}`;
}
