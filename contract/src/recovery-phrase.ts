const [LEAST_WORDS, MOST_WORDS] = [12, 24];

/** Whether a text is 12 to 24 words of letters, as the phrase that restores a wallet, in any language, numbered or not. */
export function isRecoveryPhrase(text: string): boolean {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '' && !/^\d+[.:)]?$/.test(word));
  return (
    words.length >= LEAST_WORDS && words.length <= MOST_WORDS && words.every((word) => /^[\p{L}\p{M}]+$/u.test(word))
  );
}
