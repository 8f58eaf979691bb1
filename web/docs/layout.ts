import { html, type Html } from './html.ts';
import { outlineOf, plain, type Section } from './outline.ts';

export interface NavigationGroup {
  title: string;
  links: [text: string, address: string][];
}

/** The previous or next page. */
export type Neighbor = [text: string, address: string];

/** A whole page around its main part. */
export function layout({
  title,
  path,
  main,
  navigation,
  previous,
  next,
  outline,
}: {
  title: string;
  path: string;
  main: Html;
  navigation: NavigationGroup[];
  previous?: Neighbor | undefined;
  next?: Neighbor | undefined;
  /** Whether the headings are listed beside the text. Pages of operations and objects begin with their own list. */
  outline: boolean;
}): string {
  const name = title === 'Quittance API' ? title : `${title} · Quittance API`;
  const description = descriptionOf(main);
  const sections = outline ? outlineOf(main).filter(({ level, id }) => level === 2 && id !== null) : [];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="Quittance">
<meta property="og:title" content="${name}">
<meta property="og:description" content="${description}">
<title>${name}</title>
<link rel="stylesheet" href="/docs/docs.css">
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<script src="/docs/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/docs">Quittance <span>API</span></a>
<div class="search"><input type="search" id="search" placeholder="Search the docs" aria-label="Search the docs"
autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results"
aria-autocomplete="list"><kbd aria-hidden="true">/</kbd><ul id="results" role="listbox" aria-label="Results"
hidden></ul><p id="results-status" role="status" class="unseen"></p></div>
<nav aria-label="Elsewhere"><a class="to-contents" href="#contents">Contents</a> <a href="/v1/openapi.json">OpenAPI
3.1</a> <a href="/dashboard">Dashboard</a></nav>
</header>
<div class="frame${sections.length > 1 && ' outlined'}">
<nav class="side" id="contents" aria-label="Documentation">
${navigation.map((group) => groupOf(group, path))}
</nav>
<main id="main">
${main}
${(previous || next) && turnOf(previous, next)}
</main>
${sections.length > 1 && outlineNavigation(sections)}
</div>
</body>
</html>
`.text;
}

const MAX_DESCRIPTION_LENGTH = 160;

/** The first paragraph, cut at a word. */
function descriptionOf(main: Html): string {
  const text = plain(/<p[^>]*>([\s\S]*?)<\/p>/.exec(main.text)?.[1] ?? '');
  if (text.length <= MAX_DESCRIPTION_LENGTH) return text;
  return `${text.slice(0, MAX_DESCRIPTION_LENGTH).replace(/\s+\S*$/, '')}…`;
}

function outlineNavigation(sections: Section[]): Html {
  return html`<nav class="outline" aria-label="On this page"><p>On this page</p><ul>
${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)}
</ul></nav>`;
}

// Folded unless it contains the page: fifty operations at once are too many.
function groupOf({ title, links }: NavigationGroup, path: string): Html {
  const isHere = links.some(([, address]) => address.split('#')[0] === path);
  return html`<details ${isHere && html`open`}><summary>${title}</summary><ul>
${links.map(([text, address]) => html`<li><a href="${address}"${address === path && html` aria-current="page"`}>${text}</a></li>\n`)}
</ul></details>
`;
}

export function slug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** The links to the previous and the next page. */
function turnOf(previous: Neighbor | undefined, next: Neighbor | undefined): Html {
  return html`<nav class="turn" aria-label="Previous and next page">
${previous && html`<a rel="prev" href="${previous[1]}"><small>Previous</small>${previous[0]}</a>`}
${next && html`<a rel="next" href="${next[1]}"><small>Next</small>${next[0]}</a>`}
</nav>`;
}
