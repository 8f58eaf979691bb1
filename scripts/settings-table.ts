import { readFileSync, writeFileSync } from 'node:fs';
import { SETTINGS } from '../server/src/config/settings.ts';
import { replaceBetween } from './between.ts';

// Writes the settings into docs/operating.md and .env.example, from the one table of settings.
const MARKERS = ['<!-- settings: written by `npm run docs` -->', '<!-- end of settings -->'] as const;

export const OPERATING = new URL('../docs/operating.md', import.meta.url);
export const ENVIRONMENT = new URL('../.env.example', import.meta.url);

export function writeSettings(): void {
  writeFileSync(OPERATING, withTable(readFileSync(OPERATING, 'utf8')));
  writeFileSync(ENVIRONMENT, environment());
}

export function withTable(text: string): string {
  return replaceBetween(text, MARKERS, table());
}

function table(): string {
  const rows = SETTINGS.map(
    ({ name, default: value, meaning }) => `| \`${name}\` | ${value ? `\`${value}\`` : ''} | ${meaning} |`,
  );
  return ['| Name | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

export function environment(): string {
  const lines = SETTINGS.map(
    ({ name, default: value, meaning }) => `# ${withoutMarkdown(meaning)}\n# ${name}=${value}\n`,
  );
  return (
    '# Every setting with its default. Copied to .env it is read by npm start and quittance-server; ' +
    `what\n# the environment says wins.\n\n${lines.join('\n')}`
  );
}

function withoutMarkdown(meaning: string): string {
  return meaning.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\(#[^)]+\)/g, '"$1" in docs/operating.md');
}
