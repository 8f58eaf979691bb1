import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { MUTATIONS, type Mutation } from './mutations.ts';
import { databaseFor } from './simulator.ts';

/**
 * Puts one bug after the other into a copy of the service and checks that the simulator finds it, under the name of the
 * broken promise: `npm run program -- sim-mutations [-- parts of bugs or promises …]`. A check that was never red
 * proves nothing.
 */
const RUNS = 40;
const STEPS = 250;
const root = execFileSync('git', ['rev-parse', '--show-toplevel'], {
  encoding: 'utf8',
  cwd: import.meta.dirname,
}).trim();
const wanted = process.argv.slice(2).map((part) => part.toLowerCase());
const chosen = MUTATIONS.filter(
  ({ bug, breaks }) => wanted.length === 0 || wanted.some((part) => `${bug} ${breaks}`.toLowerCase().includes(part)),
);
const copy = mkdtempSync(join(tmpdir(), 'quittance-mutations-'));
const stack = new AsyncDisposableStack();
let goesOn = true;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    goesOn = false;
  });

try {
  for (const file of execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'server', 'web', 'package.json'],
    { encoding: 'utf8', cwd: root },
  )
    .split('\0')
    .filter(Boolean)) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  // The pages are built and not in the repository.
  symlinkSync(join(root, 'web/dist'), join(copy, 'web/dist'));
  const database = await databaseFor(join(copy, 'data'), pino({ level: 'silent' }), stack);
  const before = simulate(database, 4);
  if (!/^4 seeds.* 0 with violations/.test(before.where))
    throw new Error(`something does not hold before any bug was put in: ${before.where} ${before.found.join(' ')}`);
  let [missed, ran] = [0, 0];
  for (const mutation of chosen) {
    // Signals are handled between two bugs.
    await new Promise((resolve) => setImmediate(resolve));
    if (!goesOn) break;
    const { found, where } = withBug(mutation, () => simulate(database, mutation.runs ?? RUNS, mutation.scenario));
    const isFound = found.some(
      (line) => line.startsWith(mutation.breaks) || line.startsWith(`after healing: ${mutation.breaks}`),
    );
    missed += Number(!isFound);
    ran += 1;
    process.stdout.write(
      `${isFound ? 'red  ' : 'GREEN'}  ${mutation.breaks}  ${mutation.bug}\n         ` +
        `${where}${found.length > 0 ? `: ${found.slice(0, 2).join(' | ').slice(0, 200)}` : ''}\n`,
    );
  }
  process.stdout.write(
    `${ran - missed} of ${ran} bugs are found and named by the promise that they ` +
      `break${ran < chosen.length ? `; ${chosen.length - ran} were not tried` : ''}\n`,
  );
  process.exitCode = missed > 0 || ran < chosen.length ? 1 : 0;
} finally {
  await stack.disposeAsync();
  rmSync(copy, { recursive: true, force: true });
}

function withBug<T>({ bug, also, scenario: _, runs: __, ...line }: Mutation, look: () => T): T {
  return changed(bug, line, () => (also ? changed(bug, also, look) : look()));
}

function changed<T>(
  bug: string,
  { file, defends, without }: Omit<Mutation, 'bug' | 'breaks' | 'also'>,
  look: () => T,
): T {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (!text.includes(defends)) throw new Error(`${file} no longer holds what "${bug}" takes away`);
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

/** Runs seed after seed, up to the first violation. */
function simulate(database: string, runs: number, scenario?: Mutation['scenario']): { found: string[]; where: string } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(copy, 'server/test/programs/simulation/sim.ts'),
      '--runs',
      String(runs),
      '--steps',
      String(STEPS),
      '--jobs',
      '1',
      '--first',
      '--database',
      database,
      ...(scenario ? ['--scenario', scenario] : []),
    ],
    { encoding: 'utf8', cwd: copy },
  );
  const [where = '', ...lines] = stdout.split('\n');
  if (!/^seed [0-9]+ step/.test(where))
    return { found: [], where: stderr.length > 0 && !where.startsWith(`${runs} seeds`) ? stderr.slice(0, 900) : where };
  return { where, found: lines.filter((line) => line.startsWith('  ')).map((line) => line.trim()) };
}
