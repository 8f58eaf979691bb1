import { writeFileSync } from 'node:fs';
import { DEFENSES } from '../server/test/programs/defenses/list.ts';

/** Writes `docs/defenses.md` from the list of defenses. */
export function writeDefenses(): void {
  const rows = DEFENSES.map(
    ({ rule, file, test, named }) => `| ${rule} | \`${short(file)}\` | ${named} (\`${short(test)}\`) |`,
  );
  writeFileSync(
    new URL('../docs/defenses.md', import.meta.url),
    `# Defenses of the money rules

A test that was never red proves nothing. Each line below is one defense: \`npm run program -- defenses\` switches it off in a copy
of the checkout, by replacing the text that defends, and checks that the test beside it goes red. It also checks that the test
is green while the defense stands. \`npm run program -- defenses fork provider\` runs those whose rule holds one of the words.
The defenses are listed in \`server/test/programs/defenses/\`, one file per subject. A defense whose text has changed stops the run, so
that none is lost unnoticed. \`npm run docs\` writes this page.

| Defense | Where | The test that goes red |
|---|---|---|
${rows.join('\n')}
`,
  );
}

function short(path: string): string {
  return path.replace(/^server\//, '');
}
