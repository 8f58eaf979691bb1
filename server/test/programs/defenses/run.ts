import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { DEFENSES, type Defense } from './list.ts';

/**
 * Switches off one defense after the other, in a copy of the checkout, and checks that its test goes red:
 * `npm run program -- defenses [--list] [--part 1/4] [parts of rules …]`. A test that was never red proves nothing.
 */
const { values, positionals } = parseArgs({
  options: { part: { type: 'string', default: '1/1' }, list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [part = 1, parts = 1] = values.part.split('/').map(Number);

if (values.list) {
  for (const { rule, file, test } of DEFENSES) process.stdout.write(`${rule}\n  ${file}\n  ${test}\n`);
  process.exit();
}

const root = execFileSync('git', ['rev-parse', '--show-toplevel'], {
  encoding: 'utf8',
  cwd: import.meta.dirname,
}).trim();
const copy = copyOf(root);
// One temporary server for all runs, which need not survive a power failure.
const database = await startEmbeddedDatabase({
  dataDir: join(copy, 'data'),
  log: pino({ level: 'silent' }),
  settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
});
const wanted = positionals.map((words) => words.toLowerCase());
// A part has whole files of tests, because each file is seen green first.
const files = [...new Set(DEFENSES.map(({ test }) => test))];
const chosen = DEFENSES.filter(
  ({ rule, test }) =>
    files.indexOf(test) % parts === part - 1 &&
    (wanted.length === 0 || wanted.some((words) => rule.toLowerCase().includes(words))),
);

try {
  let done = 0;
  let unguarded = 0;
  for (const [test, defenses] of Map.groupBy(chosen, (defense) => defense.test)) {
    const problem = problemOf(test, [...new Set(defenses.map((defense) => defense.named))]);
    for (const defense of defenses) {
      const { word, details } = problem ?? withoutDefense(defense, () => judge(defense));
      done += 1;
      unguarded += Number(word !== 'red');
      process.stdout.write(`${done}/${chosen.length} ${word.padEnd(7)} ${defense.rule}  (${details})\n`);
    }
  }
  process.stdout.write(`${chosen.length - unguarded} of ${chosen.length} defenses are guarded by a test\n`);
  process.exitCode = unguarded > 0 ? 1 : 0;
} finally {
  await database.stop();
  rmSync(copy, { recursive: true, force: true });
}

function copyOf(from: string): string {
  const to = mkdtempSync(join(tmpdir(), 'quittance-defenses-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    cwd: from,
  })
    .split('\0')
    .filter(Boolean);
  for (const file of files) {
    mkdirSync(join(to, dirname(file)), { recursive: true });
    cpSync(join(from, file), join(to, file), { force: true });
  }
  symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'));
  // The pages are built and not in the repository.
  const built = join('web', 'dist');
  if (existsSync(join(from, built))) cpSync(join(from, built), join(to, built), { recursive: true });
  return to;
}

function withoutDefense<T>(defense: Defense, look: () => T): T {
  const { also, rule } = defense;
  return switchedOff(defense, rule, () => (also ? switchedOff(also, rule, look) : look()));
}

function switchedOff<T>(
  { file, defends, without }: Pick<Defense, 'file' | 'defends' | 'without'>,
  rule: string,
  look: () => T,
): T {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (!text.includes(defends)) throw new Error(`${file} no longer holds what defends "${rule}"`);
  writeFileSync(
    path,
    text.replace(defends, () => without),
  );
  try {
    return look();
  } finally {
    writeFileSync(path, text);
  }
}

interface Judgement {
  word: 'red' | 'GREEN' | 'BROKEN';
  details: string;
}

/** Which test went red. If no test ran, the switch has broken more than the defense, which proves nothing. */
function judge(defense: Defense): Judgement {
  try {
    const red = run(defense.test, [defense.named]).find((result) => result.status === 'failed');
    return red ? { word: 'red', details: red.name } : { word: 'GREEN', details: defense.named };
  } catch (error) {
    return { word: 'BROKEN', details: (error as Error).message };
  }
}

interface Result {
  name: string;
  status: string;
}

/** What keeps the tests from proving anything: each must exist, and pass with all defenses. */
function problemOf(test: string, named: string[]): Judgement | null {
  try {
    requireGreen(test, named);
    return null;
  } catch (error) {
    return { word: 'BROKEN', details: (error as Error).message };
  }
}

function requireGreen(test: string, named: string[]): void {
  const isPassing = (result: Result) => result.status !== 'failed';
  const first = run(test, named);
  // A machine that is busy with other work may exceed a test's time once.
  const results = first.every(isPassing) ? first : run(test, named);
  for (const name of named) {
    const own = results.filter(
      (result) => result.name.includes(name) && result.status !== 'skipped' && result.status !== 'pending',
    );
    if (own.length === 0) throw new Error(`no test of ${test} is named "${name}"`);
    const red = own.find((result) => result.status !== 'passed');
    if (red) throw new Error(`${test} is red before anything was switched off: ${red.name}`);
  }
}

/** Runs the tests of a file with these names. */
function run(test: string, named: string[]): Result[] {
  const pattern = named.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const report = join(copy, 'data', 'report.json');
  rmSync(report, { force: true });
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      test,
      '-t',
      pattern,
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URL: database.url, CI: '' },
    },
  );
  if (!existsSync(report)) throw new Error(`${test} could not be run:\n${stdout}${stderr}`);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { message: string; assertionResults: { fullName: string; status: string }[] }[];
  };
  const results = testResults.flatMap((file) =>
    file.assertionResults.map((one) => ({ name: one.fullName, status: one.status })),
  );
  if (!results.some((result) => result.status === 'passed' || result.status === 'failed'))
    throw new Error(`no test of ${test} ran:\n${testResults.map((file) => file.message).join('\n')}${stderr}`);
  return results;
}
