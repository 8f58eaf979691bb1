import type { OpenApiDocument } from '@quittance/contract/openapi';
import { html, type Html, inline } from './html.ts';
import { operationOf } from './operation.ts';
import type { PlacedOperation } from './document.ts';

/** All operations of one tag. */
export function sectionPage(
  document: OpenApiDocument,
  section: { name: string; description: string; operations: PlacedOperation[] },
): Html {
  return html`<h1>${section.name}</h1>
<p class="lead">${inline(section.description)}</p>
<ul class="contents">
${section.operations.map(({ method, path, operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a> <code class="place">${method} /v1${path}</code></li>\n`)}
</ul>
${section.operations.map((placed) => operationOf(document, placed))}`;
}
