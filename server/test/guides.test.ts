import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GUIDE_BLOCKS } from './support/guide-blocks.ts';
import { type Block, readBlocks } from './support/guides.ts';

test('every block of code of the guides is run by a test, or is listed with the reason why no test can', async () => {
  const blocks = await readBlocks();
  expect(blocks.length).toBeGreaterThan(40);
  const unlisted = blocks.filter((block) => keysOf(block).length !== 1).map(({ guide, text }) => `${guide} ${text}`);
  expect(unlisted).toEqual([]);
  const known = new Set(blocks.flatMap(keysOf));
  expect(Object.keys(GUIDE_BLOCKS).filter((key) => !known.has(key))).toEqual([]);
});

test.each(Object.entries(GUIDE_BLOCKS))('%s is named by the test that is said to run it', (key, run) => {
  if ('why' in run) return expect(run.why).toMatch(/\.$/);
  const [guide = '', ...rest] = key.split(' ');
  const name = rest.join(' ');
  const source = readFileSync(new URL(`../../${run.by}`, import.meta.url), 'utf8');
  const isFile = /^[\w.-]+\.\w+$/.test(name);
  expect(source).toContain(run.as ?? (isFile ? `'${name}'` : `('${guide}', '${name}`));
});

test('no guide lets npx run the package of our name in the public registry, and each says where ours is installed', () => {
  const folder = new URL('../../docs/guides/', import.meta.url);
  for (const guide of readdirSync(folder).filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(new URL(guide, folder), 'utf8');
    expect(text, guide).not.toMatch(/npx quittance[ `]/);
    if (text.includes('npx --no quittance')) expect(text, guide).toMatch(/quittance-cli\.tgz|\]\(first-payment\.md\)/);
  }
});

test('a shop of the guides can run beside their receivers', async () => {
  const blocks = await readBlocks();
  const portsOf = (part: RegExp) =>
    new Set(blocks.filter(({ text }) => part.test(text)).flatMap(({ text }) => text.match(/(?<=listen\()\d+/g) ?? []));
  expect(portsOf(/readEvent/)).toEqual(new Set(['4000']));
  expect(portsOf(/'text\/html'/)).toEqual(new Set(['4001']));
});

/** The entries of the list that mean this block. */
function keysOf({ guide, file, text }: Block): string[] {
  return Object.keys(GUIDE_BLOCKS).filter((key) =>
    file ? key === `${guide} ${file}` : key.startsWith(`${guide} `) && text.startsWith(key.slice(guide.length + 1)),
  );
}
