import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFENCES, type Defence } from './list.ts';

/**
 * Switches off one defence after the other, in a copy of the checkout, and sees that the test which guards it goes red:
 * `node server/test/defences/run.ts [parts of rules …]`. A test that was never red proves nothing.
 */
let lastWords = '';
const root = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8', cwd: import.meta.dirname }).trim();
const copy = copyOf(root);
const wanted = process.argv.slice(2).map((part) => part.toLowerCase());
const chosen = DEFENCES.filter((defence) => wanted.length === 0 || wanted.some((part) => defence.rule.toLowerCase().includes(part)));

try {
  const green = new Set<string>();
  let unguarded = 0;
  for (const defence of chosen) {
    const before = `${defence.test} ${defence.named}`;
    if (!green.has(before) && !passes(defence)) throw new Error(`${before} is red before anything was switched off:\n${lastWords}`);
    green.add(before);
    const isGuarded = withoutDefence(defence, () => !passes(defence));
    unguarded += Number(!isGuarded);
    process.stdout.write(`${isGuarded ? 'red  ' : 'GREEN'}  ${defence.rule}  (${defence.named})\n`);
  }
  process.stdout.write(`${chosen.length - unguarded} of ${chosen.length} defences are guarded by a test\n`);
  process.exitCode = unguarded > 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function copyOf(from: string): string {
  const to = mkdtempSync(join(tmpdir(), 'quittance-defences-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8', cwd: from }).split('\0').filter(Boolean);
  for (const file of files) {
    mkdirSync(join(to, dirname(file)), { recursive: true });
    cpSync(join(from, file), join(to, file), { force: true });
  }
  symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'));
  // The pages are built, not kept.
  const built = join('web', 'dist');
  if (existsSync(join(from, built))) cpSync(join(from, built), join(to, built), { recursive: true });
  return to;
}

function withoutDefence<T>(defence: Defence, look: () => T): T {
  const { also, rule } = defence;
  return switchedOff(defence, rule, () => also ? switchedOff(also, rule, look) : look());
}

function switchedOff<T>({ file, defends, without }: Pick<Defence, 'file' | 'defends' | 'without'>, rule: string, look: () => T): T {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (!text.includes(defends)) throw new Error(`${file} no longer holds what defends "${rule}"`);
  writeFileSync(path, text.replace(defends, () => without));
  try {
    return look();
  } finally {
    writeFileSync(path, text);
  }
}

function passes({ test, named }: Defence): boolean {
  const pattern = named.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', test, '-t', pattern], { cwd: copy, encoding: 'utf8' });
  if (/No test files found|Tests\s+\d+ skipped/.test(stdout.replaceAll(/\[[0-9;]*m/g, ''))) throw new Error(`no test of ${test} is named "${named}"`);
  lastWords = `${stdout}${stderr}`;
  return status === 0;
}
