import { ordinal, SCHEDULE_WORDS } from '@quittance/contract';
import { expect, test } from 'vitest';
import { WARN_AT_ATTEMPT } from '../src/resources/webhooks/delivery/schedule.ts';
import { DEFENSES } from './programs/defenses/list.ts';
import { MUTATIONS } from './programs/simulation/mutations.ts';
import { readFiles, readSources } from './support/sources.ts';

const decisions = readFiles('docs/decisions/[0-9]*.md')
  .map(({ path, text }) => ({ file: path.slice('docs/decisions/'.length), title: text.split('\n')[0] ?? '' }))
  .sort((one, other) => one.file.localeCompare(other.file));
const numbers = decisions.map(({ file }) => Number(file.slice(0, 4)));
const documents = readFiles('{*.md,{.github,.changeset,docs,cli,clients,integrations,sdk,server}/**/*.md}');

test('decisions are numbered from 1 without gaps, in their names, their titles and the index', () => {
  const index = documents.find(({ path }) => path === 'docs/decisions/README.md')?.text ?? '';
  const listed = [...index.matchAll(/^\| ([0-9]+) \| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, number, file]) => [
    number,
    file,
  ]);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  expect(decisions.filter(({ file, title }) => !title.startsWith(`# ${Number(file.slice(0, 4))}. `))).toEqual([]);
  expect(listed).toEqual(decisions.map(({ file }, at) => [String(numbers[at]), file]));
});

test('every reference to a decision leads to the page with its number', () => {
  const files = new Set(decisions.map(({ file }) => file));
  const texts = [...documents, ...readSources()].filter(({ path }) => path !== 'CHANGELOG.md');
  const references = texts.flatMap(({ path, text }) => [
    ...[...text.matchAll(/\[(?:decision )?([0-9]+)\]\((?:[./a-z]*\/)?([0-9]{4}-[a-z0-9-]+\.md)\)/gi)].map(
      ([found, number, file]) => ({
        path,
        found,
        leads: files.has(`${file}`) && Number(file?.slice(0, 4)) === Number(number),
      }),
    ),
    ...[...text.matchAll(/(?<![0-9])[0-9]{4}-[a-z][a-z0-9-]+\.md\b/g)].map(([found]) => ({
      path,
      found,
      leads: files.has(found),
    })),
    ...[...text.matchAll(/\bdecision ([0-9]+)\b/gi)].map(([found, number]) => ({
      path,
      found,
      leads: numbers.includes(Number(number)),
    })),
  ]);
  expect(references.length).toBeGreaterThan(60);
  expect(references.filter(({ leads }) => !leads)).toEqual([]);
});

test('prose is wrapped at 100 columns, so that a change shows as the lines that it changes', () => {
  // Tables, headings, markup and a line that is one piece of code cannot be wrapped.
  const isWhole = /^\s*(?:[|#<!]|`[^`]+`[.:]?$)/;
  const long = documents.flatMap(({ path, text }) =>
    text
      .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
      .split('\n')
      .filter((line) => line.length > 100 && !isWhole.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(long).toEqual([]);
});

test('every source file that a document names exists', () => {
  const files = new Set(readSources().map(({ path }) => path.split('/').at(-1)));
  const named = documents
    // Decisions and changelogs describe what was true.
    .filter(({ path }) => !/^docs\/decisions\/|CHANGELOG|^\.changeset/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/`(?:[\w./-]+\/)?([a-z][\w.-]*\.tsx?)`/g)].map(([, file]) => ({ path, file })),
    );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ file }) => !files.has(file))).toEqual([]);
});

test('the guides name the schedule by which deliveries are retried', () => {
  const { delays, attempts, lastAttempt, hours, timeoutSeconds } = SCHEDULE_WORDS;
  for (const [guide, sentence] of [
    ['webhooks', `Respond with any 2xx status within ${timeoutSeconds} seconds.`],
    ['webhooks', `A failed delivery is retried after ${delays}, each counted from the end of the previous attempt.`],
    ['webhooks', `After the ${ordinal(WARN_AT_ATTEMPT)} failure you get an email`],
    ['webhooks', `After the ${lastAttempt}, the endpoint is disabled`],
    ['webhooks', `The delivery that failed ${attempts} times stays failed`],
    ['coming-from-coinbase-commerce', `makes ${attempts} attempts within ${hours} hours`],
    ['coming-from-coinbase-commerce', `After the ${lastAttempt} failure, the endpoint is disabled.`],
  ]) {
    const text = documents.find(({ path }) => path === `docs/guides/${guide}.md`)?.text.replaceAll(/\s+/g, ' ');
    expect(text).toContain(sentence);
  }
});

const switched = [
  ...DEFENSES.map(({ rule, ...rest }) => ({ name: rule, ...rest })),
  ...MUTATIONS.map(({ bug, ...rest }) => ({ name: bug, ...rest })),
].flatMap(({ name, also, ...own }) => [own, ...(also ? [also] : [])].map((text) => ({ name, ...text })));

// A text that occurs twice would leave one defense switched on, and its test would prove nothing.
test('the text of every defense and of every bug of the simulator occurs exactly once in its file', () => {
  const files = new Map(readSources().map(({ path, text }) => [path, text]));
  expect(switched.length).toBeGreaterThan(300);
  const wrong = switched
    .map(({ name, file, defends }) => ({ name, file, count: (files.get(file) ?? '').split(defends).length - 1 }))
    .filter(({ count }) => count !== 1);
  expect(wrong).toEqual([]);
});
