import type { OpenApiDocument } from '@quittance/contract/openapi';
import type { Guide } from './guides.ts';
import { slug } from './layout.ts';

/**
 * An overview for programs as `/llms.txt` (llmstxt.org): what the service is, and where the documentation is as plain
 * text.
 */
export function overview(document: OpenApiDocument, guides: Guide[]): string {
  const base = document.servers[0]?.url ?? '/v1';
  const service = base.replace(/\/v1$/, '');
  return [
    '# Quittance API',
    '',
    '> Accept crypto payments directly into your own wallet: hosted checkout pages and payment links, signed webhooks, no custody.',
    '',
    `The API is at ${base}. Every request carries \`Authorization: Bearer sk_test_…\` or \`sk_live_…\`; amounts are decimal strings.`,
    "Fulfill an order on a verified `payment.paid` webhook or after retrieving the session, never on the customer's redirect.",
    '',
    '## Guides',
    '',
    ...guides.map((guide) => `- [${guide.title}](${service}/docs/guides/${guide.slug}.md)`),
    '',
    '## Reference',
    '',
    `- [OpenAPI document](${base}/openapi.json): every operation, shape and error`,
    ...document.tags.map((tag) => `- [${tag.name}](${service}/docs/${slug(tag.name)}): ${tag.description}`),
    '',
  ].join('\n');
}
