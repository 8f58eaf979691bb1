/** What a text may contain beside what can be seen. */
export interface TextForm {
  /** Whether it may have line breaks and tabs. */
  lines: boolean;
}

/**
 * The first character of a text that makes it look like another one, such as `U+202E`; null for a readable text.
 * Refused are control characters, what reorders text (embeddings, overrides, isolates), and what takes no space. Allowed
 * is what languages need: direction marks, which keyboards of Arabic and Hebrew write and which reorder nothing by force; joiners
 * after a letter of a script that joins, a combining mark or an emoji; variation selectors; and the tags of a flag.
 */
export function unreadableIn(text: string, { lines }: TextForm): string | null {
  const found = UNREADABLE.exec(
    text
      .replace(FLAG, '')
      .replace(JOINED, '')
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
const UNREADABLE =
  /[\p{Cc}\u00AD\u200B-\u200D\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/u;
