// Direction marks, overrides and isolates, zero-width and control characters: they let a text look like another one.
// Joiners stay, because scripts such as Urdu's and Hindi's are written with them.
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u061c\u00ad\ufeff\p{Cc}]/gu;

/** A text that a merchant wrote, as it is shown: what cannot be seen is left out, so that it can deceive nobody. */
export function plainText(text: string): string {
  return text.replace(INVISIBLE, (character) => (/\s/.test(character) ? ' ' : ''));
}

/** An address that a link may lead to, as a browser reads it, or null: nothing but the web is ever linked. */
export function webLink(url: string | null): string | null {
  try {
    const { protocol, username, password, href } = new URL(url ?? '');
    return (protocol === 'https:' || protocol === 'http:') && !username && !password ? href : null;
  } catch {
    return null;
  }
}
