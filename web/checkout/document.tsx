import type { ComponentChildren } from 'preact';
import { directionOf } from '../ui/i18n/messages.ts';
import { favicon } from './favicon.ts';
import type { PageAssets } from './renderer.ts';

const REFRESH_SECONDS = 10;

interface DocumentProps {
  title: string;
  locale: string;
  assets: PageAssets;
  script?: string;
  /** Set if the page is enhanced in the browser. */
  state?: unknown;
  /** Reloads this address at intervals if no script runs. */
  refresh?: string | undefined;
  children: ComponentChildren;
}

/** The HTML document around a page: no inline script or style, no external resources. */
export function Document({ title, locale, assets, script, state, refresh, children }: DocumentProps) {
  return (
    <html lang={locale} dir={directionOf(locale)} data-theme={assets.theme ?? undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content={assets.theme ?? 'light dark'} />
        <title>{title}</title>
        <link rel="icon" href={favicon('waiting')} />
        <link rel="stylesheet" href={assets.style} integrity={assets.integrity?.[assets.style]} />
        {assets.brandStyle && <link rel="stylesheet" href={assets.brandStyle} />}
        {refresh !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={`${REFRESH_SECONDS}; url=${refresh}`} />
          </noscript>
        )}
        {script && <script type="module" src={script} integrity={assets.integrity?.[script]} />}
      </head>
      <body>
        <div id="root">{children}</div>
        {state !== undefined && (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: dataBlock writes JSON that cannot leave its element.
          <script type="application/json" id="page-state" dangerouslySetInnerHTML={{ __html: dataBlock(state) }} />
        )}
      </body>
    </html>
  );
}

/** JSON that cannot end its script element and is parsed only as data. */
function dataBlock(state: unknown): string {
  const unsafe: Record<string, string> = {
    '<': '\\u003c',
    '>': '\\u003e',
    '&': '\\u0026',
    '\u2028': '\\u2028',
    '\u2029': '\\u2029',
  };
  return JSON.stringify(state).replace(/[<>&\u2028\u2029]/g, (character) => unsafe[character] ?? '');
}
