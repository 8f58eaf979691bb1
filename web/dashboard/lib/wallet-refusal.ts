import type { MessageKey } from './i18n.tsx';

/** A wallet's error as a sentence. */
export class WalletRefusedError extends Error {
  readonly sentence: MessageKey;

  constructor(sentence: MessageKey, cause?: unknown) {
    super(sentence, { cause });
    this.sentence = sentence;
  }
}
