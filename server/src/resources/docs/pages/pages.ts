import type { OpenApiDocument } from '@quittance/contract/openapi';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { readGuides } from './guides.ts';
import { layout, type NavigationGroup, slug } from './layout.ts';
import { objectsPage } from './objects.ts';
import { overview } from './overview.ts';
import type { Placed } from './placed.ts';
import { sectionPage } from './section.ts';
import { startPage } from './start.ts';

export interface Documentation {
  /** Every page by the last part of its address; the first page's is empty. */
  pages: Map<string, string>;
  /** The guides as they are written, in the same way. */
  texts: Map<string, string>;
  overview: string;
}

/** All that there is to read, made from the contract and the guides of the repository. */
export function documentation(document: OpenApiDocument): Documentation {
  const placed = operationsOf(document);
  const sections = document.tags
    .map((tag) => ({
      ...tag,
      slug: slug(tag.name),
      operations: placed.filter(({ operation }) => operation.tags.includes(tag.name)),
    }))
    .filter((section) => section.operations.length > 0);

  const guides = readGuides((document.servers[0]?.url ?? '').replace(/\/v1$/, ''));
  const navigation: NavigationGroup[] = [
    {
      title: 'Overview',
      links: [
        ['Start', '/docs'],
        ['Events and signatures', '/docs/events-and-signatures'],
        ['Errors', '/docs/errors'],
        ['Objects', '/docs/objects'],
        ['Verify a receipt', '/verify-receipt'],
      ],
    },
    ...(guides.length > 0
      ? [
          {
            title: 'Guides',
            links: guides.map(({ title, slug }) => [title, `/docs/guides/${slug}`] as [string, string]),
          },
        ]
      : []),
    ...sections.map((section) => ({
      title: section.name,
      links: section.operations.map(
        ({ operation }) => [operation.summary, `/docs/${section.slug}#${operation.operationId}`] as [string, string],
      ),
    })),
  ];
  const page = (title: string, path: string, main: Parameters<typeof layout>[0]['main']) =>
    layout({ title, path, main, navigation });

  const pages = new Map([
    ['', page('Quittance API', '/docs', startPage(document, guides))],
    ['events-and-signatures', page('Events and signatures', '/docs/events-and-signatures', eventsPage(document))],
    ['errors', page('Errors', '/docs/errors', errorsPage())],
    ['objects', page('Objects', '/docs/objects', objectsPage(document))],
    ...guides.map(
      ({ slug, title, main }) => [`guides/${slug}`, page(title, `/docs/guides/${slug}`, main)] as [string, string],
    ),
    ...sections.map(
      (section) =>
        [section.slug, page(section.name, `/docs/${section.slug}`, sectionPage(document, section))] as [string, string],
    ),
  ]);
  return {
    pages,
    texts: new Map(guides.map((guide) => [`guides/${guide.slug}.md`, guide.text])),
    overview: overview(document, guides),
  };
}

function operationsOf(document: OpenApiDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}
