import { parseArgs } from 'node:util';
import { createSimulator } from './simulator.ts';

/**
 * The service in a world of chance, each run from one seed: `npm run sim -- --seed 1 --runs 100 --steps 400`. What does
 * not hold is printed with its seed and step, and the same seed shows it again; `--story` tells what happened before.
 */
const { values } = parseArgs({ options: {
  seed: { type: 'string', default: '1' },
  runs: { type: 'string', default: '1' },
  steps: { type: 'string', default: '400' },
  story: { type: 'boolean', default: false },
} });
const [first, runs, steps] = [values.seed, values.runs, values.steps].map(Number) as [number, number, number];
if (![first, runs, steps].every(Number.isSafeInteger)) throw new Error('--seed, --runs and --steps are whole numbers');

const simulator = await createSimulator();
const startedAtMs = performance.now();
const counts = new Map<string, number>();
let taken = 0;
let broken = 0;
try {
  for (let seed = first; seed < first + runs; seed += 1) {
    const outcome = await simulator.run(seed, steps);
    taken += outcome.steps;
    for (const [what, times] of Object.entries(outcome.counts)) counts.set(what, (counts.get(what) ?? 0) + times);
    if (!outcome.violation) continue;
    broken += 1;
    process.stdout.write(`seed ${seed} step ${outcome.violation.step}\n${outcome.violation.what.slice(0, 10).map((what) => `  ${what}\n`).join('')}`);
    if (values.story) process.stdout.write(`${outcome.violation.story.map((line) => `    ${line}\n`).join('')}`);
  }
} finally {
  await simulator.close();
}
const seconds = (performance.now() - startedAtMs) / 1000;
process.stdout.write(`${runs} seeds, ${taken} steps in ${seconds.toFixed(0)} s (${(taken / seconds).toFixed(0)} a second), ${broken} with violations\n`);
process.stdout.write(`${[...counts].sort(([, one], [, other]) => other - one).map(([what, times]) => `${what} ${times}`).join(', ')}\n`);
process.exitCode = broken > 0 ? 1 : 0;
