/** A wallet's error as a sentence. */
export class WalletRefusedError extends Error {
  readonly sentence: string;

  constructor(sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.sentence = sentence;
  }
}
