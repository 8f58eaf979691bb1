import type { OpenApiDocument, Parameter, ResponseObject } from '@quittance/contract/openapi';
import { codeBlock, sampleTabs } from './code-block.ts';
import { fieldsOf, REQUIRED, typeOf } from './fields.ts';
import { html, type Html, inline, prose, separated } from './html.ts';
import { type PlacedOperation, resolve } from './document.ts';
import { jsonOf } from './sample-call.ts';
import { samplesOf } from './samples.ts';

/** One operation: description, parameters, responses, samples. */
export function operationOf(document: OpenApiDocument, placed: PlacedOperation): Html {
  const { method, path, operation } = placed;
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));
  const body = operation.requestBody;
  const bodySchema = body?.content['application/json']?.schema;
  const [status, answer] = Object.entries(operation.responses)[0] as [string, ResponseObject];
  const examples = answer.content?.['application/json']?.examples;

  return html`<section class="operation" id="${operation.operationId}" aria-labelledby="${operation.operationId}-title">
<h2 id="${operation.operationId}-title"><a href="#${operation.operationId}">${operation.summary}</a></h2>
<p class="line"><span class="method ${method.toLowerCase()}">${method}</span> <code>/v1${path}</code></p>
<div class="columns">
<div class="text">
${prose(operation.description)}
<p class="auth">${inline(credentialOf(operation.security ?? []))}</p>
${['path', 'query', 'header'].map((place) => parametersOf(document, place, parameters))}
${bodySchema && html`<h3>Body${!body?.required && html` <span class="quiet">(optional)</span>`}</h3>${fieldsOf(document, bodySchema)}`}
<h3>Answers</h3>
${answersOf(document, placed)}
</div>
<div class="code">
${sampleTabs(operation.operationId, operation.summary, samplesOf(placed, document))}
${examples && answerOf(status, jsonOf(examples.answer?.value))}
</div>
</div>
</section>
`;
}

function credentialOf(security: Record<string, string[]>[]): string {
  if (security.length === 0) return 'No credential required.';
  const key = security.find((entry) => entry.secretKey);
  const [scope] = key?.secretKey ?? [];
  if (key)
    return `Requires a secret key${scope ? ` (a limited one with the scope \`${scope}\`)` : ''} or a login token.`;
  return 'Requires a login token. Secret keys get 403.';
}

const TITLES: Record<string, string> = { path: 'Path', query: 'Query', header: 'Headers' };

function parametersOf(document: OpenApiDocument, place: string, all: Parameter[]): Html | null {
  const parameters = all.filter((parameter) => parameter.in === place);
  if (parameters.length === 0) return null;
  return html`<h3>${TITLES[place]}</h3>
<dl class="fields">
${parameters.map(
  ({ name, schema, required, description }) => html`<div>
<dt><code>${name}</code> <span class="type">${typeOf(document, schema)}</span>${required && REQUIRED}</dt>
<dd>${inline(description)}</dd></div>
`,
)}</dl>`;
}

function answersOf(document: OpenApiDocument, { operation }: PlacedOperation): Html {
  return html`<dl class="answers">
${Object.entries(operation.responses)
  .filter(([status]) => status !== 'default')
  .map(([status, response]) => {
    const { description, content, 'x-error-codes': codes } = resolve<ResponseObject>(document, response);
    const schema = Object.values(content ?? {})[0]?.schema;
    const meaning = codes ? codesOf(codes) : html`${inline(description)} ${schema && dataOf(document, schema)}`;
    return html`<div><dt class="status s${status.slice(0, 1)}">${status}</dt><dd>${meaning}</dd></div>
`;
  })}</dl>`;
}

function codesOf(codes: string[]): Html {
  return separated(
    codes.map((code) => html`<a href="/docs/errors#${code}"><code>${code}</code></a>`),
    ', ',
  );
}

function dataOf(document: OpenApiDocument, schema: Record<string, unknown>): Html {
  const data = (schema.properties as Record<string, Record<string, unknown>> | undefined)?.data;
  return html`<span class="type">${data ? typeOf(document, data) : 'a stream, or the document itself'}</span>`;
}

function answerOf(status: string, json: string): Html {
  return html`<figure><figcaption>Answer, ${status}</figcaption>${codeBlock(json, 'json')}</figure>
`;
}

/** All operations of one tag. */
export function sectionPage(
  document: OpenApiDocument,
  section: { name: string; description: string; operations: PlacedOperation[] },
): Html {
  return html`<h1>${section.name}</h1>
<p class="lead">${inline(section.description)}</p>
<ul class="contents">
${section.operations.map(
  ({ method, path, operation: { operationId, summary } }) =>
    html`<li><a href="#${operationId}">${summary}</a> <code class="place">${method} /v1${path}</code></li>\n`,
)}
</ul>
${section.operations.map((placed) => operationOf(document, placed))}`;
}
