import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test, vi } from 'vitest';
import { ask } from '../../support/ask.ts';
import { compiledDirectory } from '../../support/service-bundle.ts';

const BENCH = fileURLToPath(new URL('../../../../bench/src/main.ts', import.meta.url));
const WAIT = { timeout: 60_000, interval: 100 };
/** The service and the load of the first measurement. */
const IS_MEASURING = /service\.ts[\s\S]*load\.ts|load\.ts[\s\S]*service\.ts/;

test('Ctrl-C ends a bench with the server and the database that it started', { timeout: 240_000 }, async () => {
  const { serverUrl } = inject('testDatabase');
  await using bench = await startBench('whole-service', serverUrl);
  // The bench's own database is on a given server, so this one belongs to the server that is measured.
  await vi.waitFor(() => expect(bench.processes()).toMatch(/postgres.*whole-/), WAIT);
  expect(await benchDatabases(serverUrl, bench.main.pid)).toBe(1);
  // A terminal signals the whole group, and the launcher passes its own signal on.
  process.kill(-(bench.main.pid as number), 'SIGINT');
  bench.main.kill('SIGINT');
  expect(await bench.exitCode()).toBe(130);
  expect(bench.processes()).toBe('');
  expect(await readdir(bench.files)).toEqual([]);
  expect(await benchDatabases(serverUrl, bench.main.pid)).toBe(0);
});

test('the processes of a bench end when it is killed', { timeout: 240_000 }, async () => {
  await using bench = await startBench('list-page', inject('testDatabase').serverUrl);
  await vi.waitFor(() => expect(bench.processes()).toMatch(IS_MEASURING), WAIT);
  bench.main.kill('SIGKILL');
  await vi.waitFor(() => expect(bench.processes()).toBe(''), WAIT);
});

interface StartedBench extends AsyncDisposable {
  main: ChildProcess;
  /** Its temporary files. */
  files: string;
  exitCode(): Promise<number | null>;
  /** One line for each process of its group, and for each one that names its files. */
  processes(): string;
}

/** A bench in a process group of its own, as a terminal starts it, on the given server. */
async function startBench(name: string, serverUrl: string): Promise<StartedBench> {
  const files = await mkdtemp(join(tmpdir(), 'quittance-interrupted-'));
  const main = spawn(process.execPath, [BENCH, name, '--seconds=60'], {
    detached: true,
    stdio: 'ignore',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compiledDirectory(),
      TMPDIR: files,
      DATABASE_URL: serverUrl,
    },
  });
  const exited = once(main, 'exit') as Promise<[number | null]>;
  return {
    main,
    files,
    exitCode: async () => (await exited)[0],
    processes: () =>
      execFileSync('ps', ['-ww', '-eo', 'pgid=,args='], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => Number.parseInt(line, 10) === main.pid || line.includes(files))
        .join('\n'),
    async [Symbol.asyncDispose]() {
      main.kill('SIGTERM');
      await exited;
      await rm(files, { recursive: true, force: true });
      await ask(serverUrl, `drop database if exists quittance_bench_${main.pid} with (force)`);
    },
  };
}

async function benchDatabases(serverUrl: string, pid: number | undefined): Promise<number> {
  return (await ask(serverUrl, `select from pg_database where datname = 'quittance_bench_${pid}'`)).length;
}
