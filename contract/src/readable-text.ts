/** What a text may contain beside what can be seen. */
export interface TextForm {
  /** Whether it may have line breaks and tabs. */
  lines: boolean;
}

/**
 * The first character of a text that makes it look like another one, such as `U+202E`; null for a readable text.
 * Refused are control characters, what reorders text (embeddings, overrides, isolates), what cannot be seen or means
 * nothing to others (private use), and more combining marks than a script stacks. Allowed is what languages need:
 * direction marks, which keyboards of Arabic and Hebrew write and which reorder nothing by force; joiners after a letter
 * of a script that joins and between two emoji; variation selectors after what has variants; and the tags of a flag.
 * Something of a text can be seen, unless it is empty or blank: spaces are trimmed.
 */
export function unreadableIn(text: string, { lines }: TextForm): string | null {
  const isHarmless = !UNREADABLE.test(text) && SEEN.test(text);
  if (isHarmless || text === '') return null;
  const rest = text
    .replace(FLAG, 'x')
    .replace(JOINED, '')
    .replace(VARIED, '')
    .replace(BRAILLE_BLANK, '')
    .replace(DIRECTION_MARKS, '')
    .replace(lines ? BREAKS : '', '');
  const found = UNREADABLE.exec(rest);
  if (found) return nameOf(found[0]);
  return SEEN.test(rest) || BLANK.test(text) ? null : nameOf(text);
}

/** The first character by its number. */
function nameOf(text: string): string {
  return `U+${(text.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}

const BREAKS = /[\t\n\r]/g;
const BLANK = /^[ \t\n\r]*$/;
const SEEN = /[^\s\p{M}\p{Cf}\u2800]/u;
/** The flags of England, Scotland and Wales: a black flag, the tags that name the region, and the end of the tags. */
const FLAG =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu;
/** A joiner behind what it can join. Latin, Greek, Cyrillic and the East Asian scripts do not join. */
const JOINED = new RegExp(
  [
    String.raw`(?<=(?![\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])\p{L}\p{M}*)[\u200C\u200D]`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  ].join('|'),
  'gu',
);
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
/** The space between words in Braille. */
const BRAILLE_BLANK = /(?<=[\u2801-\u28FF])\u2800(?=[\u2801-\u28FF])/g;
const DIRECTION_MARKS = /[\u200E\u200F\u061C]/g;
/**
 * What cannot be read, or the first mark too many on one letter: a fifth that belongs to no script, or a ninth of any.
 * Burmese words have up to six.
 */
const UNREADABLE = new RegExp(
  [
    String.raw`[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Co}\p{Noncharacter_Code_Point}\u2028-\u202E\u2800\uFFF9-\uFFFC]`,
    String.raw`(?<=(?:(?=\p{sc=Zinh})\p{M}){4})(?=\p{sc=Zinh})\p{M}`,
    String.raw`(?<=\p{M}{8})\p{M}`,
  ].join('|'),
  'u',
);

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** As much of a text as has room, in UTF-16 units, without half of an emoji or of a letter and its marks at the end. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > maxLength) break;
    end = index + segment.length;
  }
  if (end > 0) return text.slice(0, end);
  // Joiners make one of any number of emoji.
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}

/**
 * A text of others for a program that shows it to a model or a person who cannot see all of it: what is invisible, has no
 * meaning or is unassigned, as escapes. Joiners, direction marks, line breaks and tabs are left.
 */
export function withEscapes(text: string): string {
  return text.replace(HIDDEN, escaped);
}

const HIDDEN = /(?![\t\n\r\u200c-\u200f\u061c])[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

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
