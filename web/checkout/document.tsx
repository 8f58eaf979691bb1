import type { ComponentChildren } from 'preact';
import { directionOf } from './i18n/messages.ts';
import type { PageAssets } from './renderer.ts';

interface DocumentProps {
  title: string;
  locale: string;
  assets: PageAssets;
  /** Given where the page is enhanced in the browser. */
  state?: unknown;
  /** Seconds after which the page reloads itself where no script runs. */
  refreshSeconds?: number;
  children: ComponentChildren;
}

/** The HTML document around a page: no inline script or style, nothing from elsewhere. */
export function Document({ title, locale, assets, state, refreshSeconds, children }: DocumentProps) {
  return (
    <html lang={locale} dir={directionOf(locale)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%231f5eff'/%3E%3C/svg%3E" />
        <link rel="stylesheet" href={assets.style} />
        {refreshSeconds !== undefined && <noscript><meta http-equiv="refresh" content={String(refreshSeconds)} /></noscript>}
        {state !== undefined && <script type="module" src={assets.script} />}
      </head>
      <body>
        <div id="root">{children}</div>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: dataBlock writes JSON that cannot leave its element. */}
        {state !== undefined && <script type="application/json" id="page-state" dangerouslySetInnerHTML={{ __html: dataBlock(state) }} />}
      </body>
    </html>
  );
}

/** JSON that cannot end its own script element or be read as anything but data. */
function dataBlock(state: unknown): string {
  const unsafe: Record<string, string> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', '\u2028': '\\u2028', '\u2029': '\\u2029' };
  return JSON.stringify(state).replace(/[<>&\u2028\u2029]/g, (character) => unsafe[character] ?? '');
}
