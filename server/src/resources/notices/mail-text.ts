const MAX_LENGTH = 200;

/** A text of others as part of one line: without line breaks, control characters and direction marks. */
export function oneLine(text: string, maxLength = MAX_LENGTH): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [...line].length > maxLength ? `${[...line].slice(0, maxLength - 1).join('')}…` : line;
}

/**
 * A merchant's name in a mail to someone else. No mail program makes a link or an address of it, so that a name cannot lure
 * anywhere: the dots inside are "one dot leaders", which look the same.
 */
export function plainName(name: string): string {
  return oneLine(name.replace(/[/\\:@]+/g, ' '), 100).replace(/\.(?=\S)/gu, '\u2024');
}
