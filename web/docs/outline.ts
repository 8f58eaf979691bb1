import type { Html } from './html.ts';

/** A part of a page that begins with a heading. */
export interface Section {
  level: number;
  /** Null for a heading without a link. */
  id: string | null;
  title: string;
  text: string;
}

const HEADING = /<h([123])([^>]*)>([\s\S]*?)<\/h\1>/g;

/** The sections of a page by its headings. Text below a heading without an id belongs to the section before. */
export function outlineOf(main: Html): Section[] {
  const headings = [...main.text.matchAll(HEADING)].filter(
    ([, level, attributes = '']) => level === '1' || attributes.includes(' id="'),
  );
  return headings.map((match, index) => {
    const [whole, level, attributes = '', title = ''] = match;
    const id = /href="#([^"]+)"/.exec(title)?.[1] ?? /id="([^"]+)"/.exec(attributes)?.[1] ?? null;
    const text = main.text.slice(match.index + whole.length, headings[index + 1]?.index);
    return { level: Number(level), id, title: plain(title), text: plain(text) };
  });
}

/** HTML as plain text. */
export function plain(html: string): string {
  return html
    .replace(/<button[\s\S]*?<\/button>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] as string)
    .replace(/\s+/g, ' ')
    .trim();
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** One search result. Short names, because the page loads the whole list. */
export interface SearchEntry {
  /** The title of the section. */
  t: string;
  /** The title of its page. */
  p: string;
  /** The address. */
  a: string;
  /** The text, truncated. */
  x: string;
}

const MAX_TEXT_LENGTH = 700;

/** All search results of one page. */
export function searchEntries(page: { title: string; path: string; sections: Section[] }): SearchEntry[] {
  return page.sections.map(({ level, id, title, text }) => ({
    t: title,
    p: level === 1 ? '' : page.title,
    a: id === null || level === 1 ? page.path : `${page.path}#${id}`,
    x: text.slice(0, MAX_TEXT_LENGTH),
  }));
}
