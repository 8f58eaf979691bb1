import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Outcome } from './run.ts';
import { SCENARIOS } from './scenarios.ts';
import { createSimulator } from './simulator.ts';

/**
 * The service in a random world, each run from one seed: `npm run program -- sim --seed 1 --runs 100 --steps 400`. A
 * violation is printed with its seed and step, and the same seed shows it again; `--story` prints what happened before.
 * `--jobs` runs several processes, each with its own database.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    steps: { type: 'string', default: '400' },
    /** A fixed sequence of events instead of random steps: see `scenarios.ts`. */
    scenario: { type: 'string' },
    jobs: { type: 'string', default: String(Math.max(2, availableParallelism())) },
    /** An existing database with its tables; for a single job. */
    database: { type: 'string' },
    /** Stops at the first run with a violation. */
    first: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
    traces: { type: 'boolean', default: false },
  },
});
const [first, runs, steps, jobs] = [values.seed, values.runs, values.steps, values.jobs].map(Number) as [
  number,
  number,
  number,
  number,
];
if (![first, runs, steps, jobs].every(Number.isSafeInteger))
  throw new Error('--seed, --runs, --steps and --jobs are whole numbers');

const scenario = SCENARIOS.find((name) => name === values.scenario);
if (values.scenario !== undefined && !scenario) throw new Error(`--scenario is one of ${SCENARIOS.join(', ')}`);

interface Report extends Outcome {
  cpuMs: number;
}

if (process.send) await work();
else await lead();

/** Runs every n-th seed, one after the other, and reports each. */
async function work(): Promise<void> {
  let goesOn = true;
  process.once('message', () => {
    goesOn = false;
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      goesOn = false;
    });
  const simulator = await createSimulator(values.database);
  try {
    for (let seed = first; goesOn && seed < first + runs; seed += jobs) {
      const before = process.cpuUsage();
      const outcome = await simulator.run(seed, steps, scenario);
      const { user, system } = process.cpuUsage(before);
      process.send?.({ ...outcome, cpuMs: (user + system) / 1000 } satisfies Report);
    }
  } finally {
    await simulator.close();
  }
  if (process.connected) process.disconnect();
}

async function lead(): Promise<void> {
  const startedAtMs = performance.now();
  const counts = new Map<string, number>();
  let [taken, broken, cpuMs, done] = [0, 0, 0, 0];
  const workers = Array.from({ length: Math.min(jobs, runs) }, (_, at) =>
    fork(import.meta.filename, [
      '--seed',
      String(first + at),
      '--runs',
      String(runs - at),
      '--steps',
      String(steps),
      '--jobs',
      String(jobs),
      ...(scenario ? ['--scenario', scenario] : []),
      ...(values.database ? ['--database', values.database] : []),
    ]),
  );
  // They stop after their current run, and drop their databases.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      for (const worker of workers) if (worker.connected) worker.send('stop');
    });
  const ends = workers.map(
    (worker) => new Promise<number>((resolve) => worker.once('exit', (code) => resolve(code ?? 1))),
  );
  for (const worker of workers) {
    worker.on('message', (outcome: Report) => {
      done += 1;
      taken += outcome.steps;
      cpuMs += outcome.cpuMs;
      for (const [what, times] of Object.entries(outcome.counts)) counts.set(what, (counts.get(what) ?? 0) + times);
      if (values.traces) process.stdout.write(`seed ${outcome.seed}: ${outcome.trace}\n`);
      if (outcome.violation) {
        broken += 1;
        tell(outcome.seed, outcome.violation);
        if (values.first) for (const other of workers) if (other.connected) other.send('stop');
      }
    });
  }
  const codes = await Promise.all(ends);
  const seconds = (performance.now() - startedAtMs) / 1000;
  process.stdout.write(
    `${done} seeds, ${taken} steps in ${seconds.toFixed(0)} s (${(taken / seconds).toFixed(0)} a second; ` +
      `${(cpuMs / taken).toFixed(1)} ms of CPU each beside the database), ${broken} with violations\n`,
  );
  process.stdout.write(
    `${[...counts]
      .sort(([, one], [, other]) => other - one)
      .map(([what, times]) => `${what} ${times}`)
      .join(', ')}\n`,
  );
  process.exitCode = broken > 0 || (codes.some((code) => code !== 0) && !values.first) ? 1 : 0;
}

function tell(seed: number, { step, what, story }: NonNullable<Outcome['violation']>): void {
  process.stdout.write(
    `seed ${seed} step ${step}\n${what
      .slice(0, 10)
      .map((line) => `  ${line}\n`)
      .join('')}`,
  );
  if (values.story) process.stdout.write(`${story.map((line) => `    ${line}\n`).join('')}`);
}
