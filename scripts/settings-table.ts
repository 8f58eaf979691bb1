import { readFileSync, writeFileSync } from 'node:fs';
import { PRODUCTION_SETTINGS, SETTING_GROUPS, SETTINGS } from '../server/src/config/settings.ts';
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
  const head = '| Name | Default | Meaning |\n|---|---|---|';
  return SETTING_GROUPS.map(({ title, settings }) => {
    const rows = settings.map(
      ({ name, default: value, meaning }) => `| \`${name}\` | ${value ? `\`${value}\`` : ''} | ${meaning} |`,
    );
    return [`**${title}**\n`, head, ...rows].join('\n');
  }).join('\n\n');
}

const HEAD = `# Copied to .env it is read by npm start and quittance-server; what the environment says wins. With
# quotes it can be read by systemd and a shell too. Comments stand on lines of their own.

# === Production: these ten. "A server on Debian 12" (docs/guides/on-debian.md) fills them in.
`;

/** The settings of production with examples, then every setting with its default. */
export function environment(): string {
  const meanings = new Map(SETTINGS.map(({ name, meaning }) => [name, withoutMarkdown(meaning)]));
  const production = PRODUCTION_SETTINGS.map(({ name, example }) => `# ${meanings.get(name)}\n# ${name}=${example}\n`);
  const groups = SETTING_GROUPS.map(({ title, settings }) =>
    [
      `# === ${title}: every setting with its default.\n`,
      ...settings.map(({ name, default: value, meaning }) => `# ${withoutMarkdown(meaning)}\n# ${name}=${value}\n`),
    ].join('\n'),
  );
  return [HEAD, ...production, ...groups].join('\n');
}

function withoutMarkdown(meaning: string): string {
  return meaning.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\(#[^)]+\)/g, '"$1" in docs/operating.md');
}
