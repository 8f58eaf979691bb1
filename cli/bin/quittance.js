#!/usr/bin/env node
// Stands in the repository, so that npm finds the command before it has been built.
import { existsSync } from 'node:fs';

const built = new URL('../dist/quittance.js', import.meta.url);
if (existsSync(built)) {
  await import(built.href);
} else {
  process.stderr.write(
    'The command has not been built. Run in the checkout of Quittance: npm run build --workspace sdk --workspace cli\n',
  );
  process.exitCode = 1;
}
