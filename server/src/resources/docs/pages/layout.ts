import { html, type Html } from './html.ts';

export interface NavigationGroup {
  title: string;
  links: [text: string, address: string][];
}

/** A whole page around its main part. */
export function layout({
  title,
  path,
  main,
  navigation,
}: {
  title: string;
  path: string;
  main: Html;
  navigation: NavigationGroup[];
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === 'Quittance API' ? title : `${title} · Quittance API`}</title>
<link rel="stylesheet" href="/docs/docs.css">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/docs">Quittance <span>API</span></a>
<nav aria-label="Elsewhere"><a class="to-contents" href="#contents">Contents</a> <a href="/v1/openapi.json">OpenAPI 3.1</a> <a href="/dashboard">Dashboard</a></nav>
</header>
<div class="frame">
<nav class="side" id="contents" aria-label="Documentation">
${navigation.map((group) => groupOf(group, path))}
</nav>
<main id="main">
${main}
</main>
</div>
</body>
</html>
`.text;
}

// Folded away unless it is the page's own: fifty operations at once are a wall.
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
