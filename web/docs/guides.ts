import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { OpenApiDocument } from '@quittance/contract/openapi';
import type { Html } from './html.ts';
import { slug } from './layout.ts';
import { markdown } from './markdown.ts';

const FOLDER = new URL('../../docs/guides/', import.meta.url);
/** In reading order. A guide that is not listed comes before the last. */
const ORDER = [
  'selling-without-code',
  'first-payment',
  'webhooks',
  'verify-webhooks',
  'frameworks',
  'testing',
  'checkout-page',
  'coins-and-fees',
  'receipts',
  'customers',
  'payment-links',
  'programs',
  'embedding',
  'own-checkout-page',
  'routed-payments',
  'unusual-payments',
  'dashboard',
  'chat',
  'mcp',
  'coming-from-coinbase-commerce',
  'costs',
  'on-debian',
  'going-live',
];

export interface Guide {
  slug: string;
  title: string;
  /** The Markdown source. */
  text: string;
  main: Html;
}

/** The guides of the repository as pages, with this service's address in place of the example's. */
export function readGuides(publicUrl: string): Guide[] {
  if (!existsSync(FOLDER)) return [];
  const slugs = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => name.slice(0, -'.md'.length));
  const place = (slug: string) => (ORDER.includes(slug) ? ORDER.indexOf(slug) : ORDER.length - 1.5);
  // Other documents of the repository are for operators.
  const resolve = (address: string) => {
    const [, slug = '', fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(address) ?? [];
    return slugs.includes(slug) ? `/docs/guides/${slug}${fragment}` : undefined;
  };
  return slugs
    .sort((one, other) => place(one) - place(other))
    .map((slug) => {
      const text = readFileSync(new URL(`${slug}.md`, FOLDER), 'utf8')
        .replaceAll('http://localhost:3000', publicUrl)
        .replaceAll('{PUBLIC_URL}', publicUrl);
      return { slug, title: /^# (.*)$/m.exec(text)?.[1] ?? slug, text, main: markdown(text, resolve) };
    });
}

/** The changelog of the repository; null if the installation does not have it. */
export function readChangelog(): Html | null {
  const file = new URL('../../CHANGELOG.md', import.meta.url);
  return existsSync(file) ? markdown(readFileSync(file, 'utf8'), () => undefined) : null;
}

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
