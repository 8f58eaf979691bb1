import { ERRORS } from '@quittance/contract';
import type { OpenApiDocument } from '@quittance/contract/openapi';
import { operationsOf, type PlacedOperation } from './document.ts';
import { codeBlock } from './code-block.ts';
import { eventsPage } from './events.ts';
import { jsonOf } from './sample-call.ts';
import { objectsPage } from './fields.ts';
import { type Guide, overview, readChangelog, readGuides } from './guides.ts';
import { html, type Html, inline } from './html.ts';
import { layout, type NavigationGroup, type Neighbor, slug } from './layout.ts';
import { sectionPage } from './operation.ts';
import { outlineOf, searchEntries, type SearchEntry } from './outline.ts';
import { startPage } from './start.ts';

type Link = NavigationGroup['links'][number];

export interface Documentation {
  /** Every page by the last part of its address; the first page's is empty. */
  pages: Map<string, string>;
  /** The Markdown of the guides, by the same keys. */
  texts: Map<string, string>;
  overview: string;
  /** The search index. */
  search: SearchEntry[];
  /** For an address without a page. */
  notFound: string;
}

type Section = OpenApiDocument['tags'][number] & { slug: string; operations: PlacedOperation[] };

/** All pages, built from the contract and the repository's guides. */
export function documentation(document: OpenApiDocument): Documentation {
  const placed = operationsOf(document);
  const sections: Section[] = document.tags
    .map((tag) => ({
      ...tag,
      slug: slug(tag.name),
      operations: placed.filter(({ operation }) => operation.tags.includes(tag.name)),
    }))
    .filter((section) => section.operations.length > 0);

  const guides = readGuides((document.servers[0]?.url ?? '').replace(/\/v1$/, ''));
  const changelog = readChangelog();
  const navigation = navigationOf(sections, guides, changelog !== undefined);
  const order = orderOf(navigation);
  const search: SearchEntry[] = [];
  const page = (title: string, path: string, main: Html, outline = false): string => {
    search.push(...searchEntries({ title, path, sections: outlineOf(main) }));
    const here = order.findIndex(([, address]) => address === path);
    const [previous, next] = here < 0 ? [] : [order[here - 1], order[here + 1]];
    return layout({ title, path, main, navigation, outline, previous, next });
  };

  const pages = new Map([
    ['', page('Quittance API', '/docs', startPage(document, guides), true)],
    ...guides.map(
      ({ slug, title, main }) =>
        [`guides/${slug}`, page(title, `/docs/guides/${slug}`, main, true)] as [string, string],
    ),
    ['events-and-signatures', page('Events and signatures', '/docs/events-and-signatures', eventsPage(document), true)],
    ['errors', page('Errors', '/docs/errors', errorsPage())],
    ['objects', page('Objects', '/docs/objects', objectsPage(document))],
    ...sections.map(
      (section) =>
        [section.slug, page(section.name, `/docs/${section.slug}`, sectionPage(document, section))] as [string, string],
    ),
    ...(changelog ? [['changelog', page('Changelog', '/docs/changelog', changelog, true)] as [string, string]] : []),
  ]);
  search.push(...errorEntries());
  return {
    pages,
    texts: new Map(guides.map((guide) => [`guides/${guide.slug}.md`, guide.text])),
    overview: overview(document, guides),
    search,
    notFound: layout({ title: 'Page not found', path: '', main: NOT_FOUND, navigation, outline: false }),
  };
}

const NOT_FOUND = html`<h1>Page not found</h1>
<p class="lead">There is no page of the documentation at this address. Search for it above, or <a href="/docs">go to
the start page</a>.</p>`;

function navigationOf(
  sections: readonly Section[],
  guides: readonly Guide[],
  hasChangelog: boolean,
): NavigationGroup[] {
  const guideLinks = guides.map(({ title, slug }): Link => [title, `/docs/guides/${slug}`]);
  return [
    { title: 'Overview', links: [['Start', '/docs']] },
    ...(guideLinks.length > 0 ? [{ title: 'Guides', links: guideLinks }] : []),
    {
      title: 'Reference',
      links: [
        ['Events and signatures', '/docs/events-and-signatures'],
        ['Errors', '/docs/errors'],
        ['Objects', '/docs/objects'],
        ['Verify a receipt', '/verify-receipt'],
        ...(hasChangelog ? [['Changelog', '/docs/changelog'] satisfies Link] : []),
      ],
    },
    ...sections.map(({ name, slug, operations }) => ({
      title: name,
      links: operations.map(({ operation }): Link => [operation.summary, `/docs/${slug}#${operation.operationId}`]),
    })),
  ];
}

/** The pages in the order of the navigation, without duplicates. */
function orderOf(navigation: NavigationGroup[]): Neighbor[] {
  const seen = new Map<string, Neighbor>();
  for (const { title, links } of navigation) {
    for (const [text, address] of links) {
      const [path = '', fragment] = address.split('#');
      if (path.startsWith('/docs') && !seen.has(path)) seen.set(path, [fragment ? title : text, path]);
    }
  }
  return [...seen.values()];
}

function errorEntries(): SearchEntry[] {
  return Object.entries(ERRORS).map(([code, { status, message }]) => ({
    t: code,
    p: 'Errors',
    a: `/docs/errors#${code}`,
    x: `${status} ${message}`,
  }));
}

/** The whole table of error codes. */
function errorsPage(): Html {
  const rows = Object.entries(ERRORS).sort(([, one], [, other]) => one.status - other.status);
  const example = {
    error: {
      code: 'invalid_checkout_session',
      message:
        '`amount` must be a decimal string from 0.01 to 999999999.99 with at most two decimals, such as "49.00".',
      param: 'amount',
    },
    request_id: 'req_7pXq5WzNk2TvRb8LsMc4HdGf',
  };
  return html`<h1>Errors</h1>
<p class="lead">All errors have the same form. Base program logic on <code>code</code>, show <code>message</code>
to people, and use <code>param</code> to find the field.</p>
${codeBlock(jsonOf(example), 'json')}
<p>After a 429 or 503, wait for the seconds in <code>Retry-After</code>, then retry with the same
<code>Idempotency-Key</code>. Include the <code>request_id</code> when you report a problem.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Error codes">
<table class="errors">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Message</th></tr></thead>
<tbody>
${rows.map(
  ([
    code,
    { status, message },
  ]) => html`<tr id="${code}"><td>${status}</td><th scope="row"><code>${code}</code></th><td>${inline(message)}</td></tr>
`,
)}</tbody>
</table>
</div>`;
}
