// Direction marks, overrides and isolates, zero-width and control characters: they make a text look like another one.
// Joiners stay, because scripts such as Urdu's and Hindi's need them.
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u061c\u00ad\ufeff\p{Cc}]/gu;

/** A merchant's text without invisible characters, so that it cannot deceive. */
export function plainText(text: string): string {
  return text.replace(INVISIBLE, (character) => (/\s/.test(character) ? ' ' : ''));
}

/** A link's address as a browser parses it, or null: only web addresses are linked. */
export function webLink(url: string | null): string | null {
  try {
    const { protocol, username, password, href } = new URL(url ?? '');
    return (protocol === 'https:' || protocol === 'http:') && !username && !password ? href : null;
  } catch {
    return null;
  }
}
