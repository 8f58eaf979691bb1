import { readFileSync } from 'node:fs';

/** The block of code in a page of `docs/` whose first line is a comment that begins like this. */
export function documentedCode(page: string, language: string, comment: string): string {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  for (const [, indent, of, first, code] of text.matchAll(/^( *)```(\w+)\n\s*# (.*)\n([^`]*)```$/gm))
    if (of === language && first?.startsWith(comment))
      return (code ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), '');
  throw new Error(`docs/${page} has no block of code for "${comment}"`);
}
