import type { Section } from './outline.ts';

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
