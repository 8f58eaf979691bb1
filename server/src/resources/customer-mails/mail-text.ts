const MAX_LENGTH = 200;

/** A text of others as part of one line: without line breaks, control characters and direction marks. */
export function oneLine(text: string, maxLength = MAX_LENGTH): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [...line].length > maxLength ? `${[...line].slice(0, maxLength - 1).join('')}…` : line;
}

/** A text that a stranger wrote, in a mail: no program makes a web or email address of it that could lure somewhere. */
export function withoutLinks(text: string): string {
  return withoutDots(oneLine(text.replace(SIGNS_OF_ADDRESSES, ' ')));
}

/** The same of a merchant's name in a mail to someone else. Long numbers are left out, which a program would offer to call. */
export function plainName(name: string): string {
  return withoutDots(oneLine(name.replace(SIGNS_OF_ADDRESSES, ' '), 100).replace(LONG_NUMBERS, '…'));
}

const SIGNS_OF_ADDRESSES = /[/\\:@\uFF0F\uFF3C\uFF1A\uFF20]+/g;

/** The dots inside become "one dot leaders", which look the same. */
function withoutDots(text: string): string {
  return text.replace(/[.\u3002\uFF0E\uFF61](?=\S)/gu, '\u2024');
}

/** Programs make a phone number of it. */
const LONG_NUMBERS = /\+?\p{Nd}(?:[\s().–-]*\p{Nd}){5,}/gu;

/**
 * An email address to read and to type: a program makes no link of it, and its domain is plain to see. Null for one with
 * a long number, which a program would offer to call.
 */
export function plainAddress(email: string): string | null {
  if (email.search(LONG_NUMBERS) >= 0) return null;
  return oneLine(email).replace(/\./g, '\u2024').replace('@', ' (at) ');
}
