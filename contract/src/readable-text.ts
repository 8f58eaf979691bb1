/** What a text may contain beside what can be seen. */
export interface TextForm {
  /** Whether it may have line breaks and tabs. */
  lines: boolean;
}

/**
 * The first character of a text that makes it look like another one, such as `U+202E`; null for a readable text.
 * Refused are control characters, what reorders text (embeddings, overrides, isolates), and what cannot be seen. Allowed
 * is what languages need: direction marks, which keyboards of Arabic and Hebrew write and which reorder nothing by force;
 * joiners after a letter of a script that joins, a combining mark or an emoji; variation selectors after what has
 * variants; and the tags of a flag.
 */
export function unreadableIn(text: string, { lines }: TextForm): string | null {
  if (!UNREADABLE.test(text)) return null;
  const found = UNREADABLE.exec(
    text
      .replace(FLAG, '')
      .replace(JOINED, '')
      .replace(VARIED, '')
      .replace(DIRECTION_MARKS, '')
      .replace(lines ? BREAKS : '', ''),
  );
  if (!found) return null;
  return `U+${(found[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}

const BREAKS = /[\t\n\r]/g;
/** A black flag, the tags that name its region, and the end of the tags. */
const FLAG = /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]+\u{E007F}/gu;
/** A joiner behind what it can join. Latin, Greek, Cyrillic and the East Asian scripts do not join. */
const JOINED =
  /(?<=\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier}|(?![\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])\p{L})[\u200C\u200D]/gu;
/** A variation selector behind an emoji, the key of a keycap, or a character of a script that has variants. */
const VARIED = new RegExp(
  [
    String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
    String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
    String.raw`(?<=\p{sc=Hani})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`,
    String.raw`(?<=\p{sc=Mong})[\u180B-\u180F]`,
  ].join('|'),
  'gu',
);
const DIRECTION_MARKS = /[\u200E\u200F\u061C]/g;
const UNREADABLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028-\u202E\uFFF9-\uFFFB]/u;

/**
 * A text of others for a terminal, which obeys control characters: those, and what cannot be seen, as JSON escapes, so
 * that JSON stays the same. Line breaks, tabs, joiners and the colors of our own commands are left.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (found) => (found.startsWith('\u001b[') ? found : escaped(found)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colors are control characters
const UNPRINTABLE = /\u001b\[(?:0|2|31|32)m|(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
