import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bundledService } from '../support/service-bundle.ts';
import { runToEnd } from '../support/service-process.ts';
import { QUIET } from '../support/settings.ts';

vi.setConfig({ testTimeout: 180_000 });

let home: string;
let dataDir: string;
beforeEach(async () => {
  home = await mkdtemp(join(await realpath(tmpdir()), 'quittance-commands-'));
  dataDir = join(home, 'data');
});
afterEach(() => rm(home, { recursive: true, force: true }));

test.each(['--help', '-h'])('every command answers %s with its usage, and does nothing', async (flag) => {
  for (const { name, usage } of await commands()) {
    const { code, output, errors } = await run(name, flag);
    expect({ name, code, errors }).toEqual({ name, code: 0, errors: '' });
    expect(output.split('\n')[0]).toBe(`quittance-server ${usage}`);
  }
  expect(existsSync(dataDir)).toBe(false);
});

test.each([
  ['an unknown option', ['--unknown']],
  ['too many names', ['one', 'two']],
])('every command refuses %s by its usage, before anything happens', async (_, args) => {
  for (const { name, usage } of await commands()) {
    const { code, output, errors } = await run(name, ...args);
    expect({ name, code, output }).toEqual({ name, code: 2, output: '' });
    expect(errors).toContain(`quittance-server ${usage}`);
  }
  expect(existsSync(dataDir)).toBe(false);
});

/** As the help lists them: a name and its arguments, then two spaces or more. */
async function commands(): Promise<{ name: string; usage: string }[]> {
  const { output } = await run('help');
  const found = [...output.matchAll(/^ {2}((\S+).*?) {2,}\S/gm)];
  expect(found.length).toBeGreaterThanOrEqual(10);
  return found.map(([, usage = '', name = '']) => ({ name, usage }));
}

async function run(...args: [string, ...string[]]) {
  // A service that starts by mistake ends at once, because it may not listen there.
  const env = { ...QUIET, PATH: process.env.PATH, DATA_DIR: dataDir, HOST: '192.0.2.1' };
  return runToEnd([(await bundledService()).command, ...args], env);
}
