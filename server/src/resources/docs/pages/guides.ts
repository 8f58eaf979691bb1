import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Html } from './html.ts';
import { markdown } from './markdown.ts';

const FOLDER = new URL('../../../../../docs/guides/', import.meta.url);
/** As one would read them; what is not named here comes before the last. */
const ORDER = [
  'first-payment',
  'webhooks',
  'testing',
  'checkout-page',
  'coins-and-fees',
  'receipts',
  'payment-links',
  'programs',
  'embedding',
  'own-checkout-page',
  'routed-payments',
  'unusual-payments',
  'dashboard',
  'mcp',
  'coming-from-coinbase-commerce',
  'going-live',
];

export interface Guide {
  slug: string;
  title: string;
  /** In Markdown, as it is written. */
  text: string;
  main: Html;
}

/** The guides of the repository as pages, with the address of this service in place of the one they are written for. */
export function readGuides(publicUrl: string): Guide[] {
  if (!existsSync(FOLDER)) return [];
  const slugs = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length));
  const place = (slug: string) => (ORDER.includes(slug) ? ORDER.indexOf(slug) : ORDER.length - 1.5);
  // What lies elsewhere in the repository is for whoever runs the service.
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

/** The changelog of the repository; null in an installation without it. */
export function readChangelog(): Html | null {
  const file = new URL('../../../../../CHANGELOG.md', import.meta.url);
  return existsSync(file) ? markdown(readFileSync(file, 'utf8'), () => undefined) : null;
}
