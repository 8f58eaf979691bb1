import { expect, test } from 'vitest';
import { readFiles, readSources, show, type Source } from './support/sources.ts';

/** Words that plain modern English has better ones for; docs/vocabulary.md and CONTRIBUTING.md say which. */
const BANNED =
  /\b(whoever|whosoever|somebody|everybody|anybody|nobody|anew|besides|naught|shall|whilst|kin|odd|told|tells|hears? of|bears? out|borne out|testif(?:y|ies|ied)|testimony|vouch(?:es|ed)?|dealt with|gone back|is none|(?<!there )is no (?!longer)|so many|of (?:ours|yours)|per cent|behaviour|colour|favour|fulfil|honour\w*|neighbour\w*|towards|for ever|emphasis(?:e[ds]?|ing)|(?:\w+[ai]l|author|organ|priorit|recogn|reorgan|summar|synchron)is(?:e[drs]?|ing|ation|ations))\b/i;

/** What people read: documents, the sentences of the pages, and the messages of errors. */
const SHOWN = [
  '{*.md,{.github,.changeset,docs,cli,clients,contract,integrations,sdk,server,web}/**/*.md}',
  'web/{checkout,dashboard}/i18n/en.ts',
  'contract/src/errors.ts',
];

test('documents and the texts that users see use plain modern words', () => {
  const files = SHOWN.flatMap(readFiles).map(({ path, text }) => ({
    path,
    text: path.endsWith('.md') ? text.replaceAll(/`[^`\n]*`/g, '`…`') : text,
  }));
  expect(files.length).toBeGreaterThan(40);
  expect(files.flatMap(bannedWords)).toEqual([]);
});

/** Of code, the comments and the names of tests. Code has words of its own. */
const SAID = /^\s*(?:\*|\/\*\*|\/\/|--) .*|(?<=\s)\/\/ .*|^\s*(?:test|describe)\(\s*(['"]).*?\1/;

test('comments and the names of tests use them too', () => {
  const code = readSources()
    .filter(({ path }) => path !== 'server/test/words.test.ts')
    .map(({ path, text }) => ({
      path,
      text: text
        .split('\n')
        .map((line) => SAID.exec(line)?.[0] ?? '')
        .join('\n'),
    }));
  expect(code.flatMap(bannedWords)).toEqual([]);
});

/** The lines with a banned word, also across the line break of a paragraph. */
function bannedWords({ path, text }: Pick<Source, 'path' | 'text'>): string[] {
  const rows = text.split('\n').map((line) => line.trimEnd());
  return rows.flatMap((line, at) => {
    const found = BANNED.exec(`${line} ${path.endsWith('.md') ? (rows[at + 1]?.trim() ?? '') : ''}`);
    if (!found || found.index >= line.length) return [];
    return [`${show({ path, number: at + 1, line })} [${found[0]}]`];
  });
}
