import { spawnSync } from 'node:child_process';

// `npm run check`: every static check, and how long each part took.
const tsc = 'node_modules/typescript/bin/tsc';
const PARTS: [name: string, ...args: string[]][] = [
  ['biome', 'node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ...['.', 'sdk', 'cli', 'integrations', 'web', 'web/dashboard', 'e2e'].map((project): [string, ...string[]] => [
    `tsc ${project}`,
    tsc,
    '-p',
    project,
  ]),
  ['knip', 'node_modules/knip/bin/knip.js'],
  ['size', 'e2e/size.ts'],
];

const report: string[] = [];
const failed: string[] = [];
for (const [name, ...args] of PARTS) {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) failed.push(name);
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  report.push(`${seconds} s  ${name}${status === 0 ? '' : ': FAILED'}`);
}
console.log(report.join('\n'));
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
