// The last line of `.ci/run`: counts the tests of a vitest report, and each other step that failed.
import { existsSync, readFileSync } from 'node:fs';

const [file, ...failedSteps] = process.argv.slice(2);
const tests = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
// A file that could not be loaded has no tests to count, and still is a failure.
const broken = tests.testResults.filter(
  (result) => result.status === 'failed' && !result.assertionResults.some((test) => test.status === 'failed'),
);

const otherSteps = failedSteps.filter((step) => step !== 'npm test');
for (const step of otherSteps) console.log(`failed: ${step}`);
for (const result of broken) console.log(`could not run: ${result.name}`);
if (!existsSync(file)) console.log('the tests did not run');

const failed = tests.numFailedTests + broken.length + otherSteps.length + (existsSync(file) ? 0 : 1);
const skipped = tests.numPendingTests > 0 ? `, ${tests.numPendingTests} skipped` : '';
console.log(`${tests.numPassedTests} passed, ${failed} failed${skipped}`);
process.exit(failed > 0 || failedSteps.length > 0 ? 1 : 0);
