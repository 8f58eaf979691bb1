import { readFileSync } from 'node:fs';

const GUIDE = new URL('../../../docs/operating.md', import.meta.url);

/** The advice for an alarm in the table of `docs/operating.md`, as plain text. Null if this installation lacks it. */
export function whatToDo(alarm: string): string | null {
  const row = readGuide()
    .split('\n')
    .find((line) => line.startsWith(`| \`${alarm}\` |`));
  const advice = row?.split(' | ').at(-1)?.replace(/ *\|$/, '');
  return advice?.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1') ?? null;
}

/** Read each time, because alarms are rare. A mail goes out also where the guide was deleted. */
function readGuide(): string {
  try {
    return readFileSync(GUIDE, 'utf8');
  } catch {
    return '';
  }
}
