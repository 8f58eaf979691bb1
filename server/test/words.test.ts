import { expect, test } from 'vitest';
import { GENERATED, readFiles, readSources, type Source, show } from './support/sources.ts';

/** Words that plain modern English has better ones for; docs/vocabulary.md and CONTRIBUTING.md say which. */
const BANNED =
  /\b(whoever|whosoever|somebody|everybody|anybody|nobody|anew|besides|naught|shall|whilst|kin|odd|told|tells|hears? of|bears? out|borne out|testif(?:y|ies|ied)|testimony|vouch(?:es|ed)?|dealt with|gone back|is none|(?<!there )is no (?!longer)|so many|of (?:ours|yours)|per cent|behaviour|colour|favour|fulfil|honour\w*|neighbour\w*|towards|for ever|emphasis(?:e[ds]?|ing)|(?:\w+[ai]l|author|organ|priorit|recogn|reorgan|summar|synchron)is(?:e[drs]?|ing|ation|ations))\b/i;

/** Names that contain such a word: a Unix user, an address, a column, odd numbers. */
const NAMES = /\bnobody@|'-u', 'nobody'|\btold_of_expiry_at\b|\bodd number/g;

/** Later migrations use plain words. Released ones keep their text. */
const LAST_MIGRATION_BEFORE_WORDS = 83;

test('documents, comments, test names, identifiers and strings use plain modern words', () => {
  const documents = readFiles('{*.md,{.github,.changeset,docs,cli,sdk,server}/**/*.md}')
    // The table of defenses quotes the names of tests.
    .filter(({ path }) => path !== 'docs/defenses.md')
    .map(({ path, text }) => ({ path, text: text.replaceAll(/`[^`\n]*`/g, '`…`') }));
  const others = [
    '{.ci/*,{.github,cli,deploy,scripts,sdk,server}/**/*.{js,sh,yml,yaml,html,sol}}',
    '{.env.example,package.json,*/package.json,deploy/**/{*.conf,*.service,Dockerfile}}',
  ].flatMap(readFiles);
  const code = [...readSources(), ...others].filter(({ path }) => {
    const migration = /\/migrations\/([0-9]{4})-/.exec(path)?.[1];
    if (migration !== undefined) return Number(migration) > LAST_MIGRATION_BEFORE_WORDS;
    // Other languages have words that look like English ones.
    const isTranslation = /\/i18n\/(?!en)[a-z]{2}(?:-[A-Z]{2})?\.ts$/.test(path);
    return !GENERATED.test(path) && !isTranslation && path !== 'server/test/words.test.ts';
  });
  expect(documents.length).toBeGreaterThan(30);
  expect(code.length).toBeGreaterThan(1_000);
  expect([...documents, ...code].flatMap(bannedWords)).toEqual([]);
});

test.each([
  ['a comment', '// It tells why.'],
  ['a comment of two lines', '// There is\n// none here.'],
  ['the name of a test', "test('the merchant is told', () => {"],
  ['a name in camel case', 'const oddHashes = [];'],
  ['a name in capitals', 'const MAX_TOLD = 5;'],
])('%s with a banned word is found', (_, text) => {
  expect(bannedWords({ path: 'a.ts', text })).toHaveLength(1);
});

/** The lines with a banned word, also inside names and across the line break of a comment or a paragraph. */
function bannedWords({ path, text }: Pick<Source, 'path' | 'text'>): string[] {
  const rows = text
    .replaceAll(NAMES, '…')
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1 ')
        .replaceAll('_', ' ')
        .trimEnd(),
    );
  return rows.flatMap((line, at) => {
    const next = rows[at + 1]?.trim() ?? '';
    const continued = path.endsWith('.md') ? next : (/^(?:\/\/+|\*|--|#) (.*)/.exec(next)?.[1] ?? '');
    const found = BANNED.exec(`${line} ${continued}`);
    if (!found || found.index >= line.length) return [];
    return [`${show({ path, number: at + 1, line })} [${found[0]}]`];
  });
}
