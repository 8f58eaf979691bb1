import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { whatToDo } from '../src/alarms/what-to-do.ts';
import { alarms } from '../src/platform/metrics.ts';
import { readSources } from './support/sources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const rules = read('deploy/monitoring/alerts.yaml');
const ruleNames = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);

test('every alert rule links to a section of the documentation that exists', () => {
  const links = [...rules.matchAll(/runbook: "([^"]+)"/g)].map(([, link]) => link as string);
  expect(links).toHaveLength(ruleNames.length);
  expect(links.filter((link) => !anchorExists(link))).toEqual([]);
});

test('every alert rule has a runbook that says what it means, what to look at and what to do', () => {
  const runbooks = read('docs/operating.md').split(/^### /m);
  for (const name of ruleNames) {
    const [meaning = '', ...steps] = runbooks.find((section) => section.startsWith(`${name}\n`))?.split('\n- ') ?? [];
    expect(meaning.split('\n\n')[1], name).toMatch(/\w/);
    expect(steps[0], name).toMatch(/^Look at: /);
    expect(steps[1], name).toMatch(/^Do: /);
  }
});

test('links between sections of the documentation lead somewhere', () => {
  const dead = globSync('docs/**/*.md', { cwd: root }).flatMap((file) => {
    const folder = file.split('/').slice(0, -1).join('/');
    return [...read(file).matchAll(/\]\(([\w./-]*\.md)?#([\w-]+)\)/g)]
      .map(([, path, anchor]) => `${path ? join(folder, path) : file}#${anchor}`)
      .filter((link) => !anchorExists(link))
      .map((link) => `${file}: ${link}`);
  });
  expect(dead).toEqual([]);
});

test('every metric of an alert rule or of the dashboard is served', () => {
  const source = globSync('server/src/**/*metrics*.ts', { cwd: root }).map(read).join('\n');
  const asked = [rules, read('deploy/monitoring/grafana-dashboard.json')].flatMap((text) =>
    [...text.matchAll(/\b(quittance_\w+?)(?:_bucket|_count|_sum)?(?=[{)[\s"\\(]|$)/gm)].map(
      ([, name]) => name as string,
    ),
  );
  expect(asked.length).toBeGreaterThan(15);
  expect([...new Set(asked)].filter((name) => !source.includes(`'${name}'`))).toEqual([]);
});

test('every alarm in the source is exported at 0 from the start, so that its first is an increase, and documented', async () => {
  const logged = readSources()
    .filter(({ path }) => path.startsWith('server/src/') && !path.endsWith('.test.ts'))
    .flatMap(({ text }) =>
      [...text.matchAll(/\balarm: (?:'.+)/g)].flatMap(([line]) => line.match(/(?<=')\w+(?=')/g) ?? []),
    );
  const names = [...new Set(logged)].sort();
  expect(names.length).toBeGreaterThan(15);
  // Tests that ran before in this process may have counted some.
  const { values } = await alarms.get();
  expect(values.map(({ labels }) => labels.alarm).sort()).toEqual(names);
  const [, section = ''] = read('docs/operating.md').split(/^## Alarms$/m);
  const documented = [...(section.split(/^## /m)[0] ?? '').matchAll(/^\| `(\w+)` \| [^|]+ \| /gm)].map(
    ([, name]) => name,
  );
  expect(documented.filter((name) => name !== 'alarm').sort()).toEqual(names);
  // Its mail says so in plain text.
  for (const name of names) expect(whatToDo(name), name).toMatch(/^[^|[\]]{8,}$/);
});

test('work that is logged as retried is counted, so that QuittanceWorkFails sees what fails each time', () => {
  const uncounted = readSources()
    .filter(({ path }) => path.startsWith('server/src/') && !path.endsWith('.test.ts'))
    // Loops count their failed turns; a transfer that cannot be attributed is set aside with an alarm.
    .filter(({ path }) => !/(?:\/work|\/attribute-queued)\.ts$/.test(path))
    .filter(({ text }) => (text.match(/: retrying\b/g) ?? []).length > (text.match(/\bfailures\.inc\(/g) ?? []).length)
    .map(({ path }) => path);
  expect(uncounted).toEqual([]);
});

/** Headings become anchors as GitHub makes them. */
function anchorExists(link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    (title as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return anchor === undefined || headings.includes(anchor);
}
