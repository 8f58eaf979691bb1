import type { Values } from '../i18n/messages.ts';
import type { WalletProblem, WalletStep } from '../page-state.ts';

/** Why a wallet did not pay, as a sentence for its owner. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly key: WalletProblem['key'];
  readonly values: WalletProblem['values'];
  constructor(...[key, values]: ProblemText) {
    super(key);
    this.key = key;
    // The parameters of this message; no other is read.
    this.values = { ...values } as WalletProblem['values'];
  }
}

type ProblemText = { [Key in WalletProblem['key']]: [key: Key, ...values: Values<Key>] }[WalletProblem['key']];

/** The end of a payment by a wallet that did not pay. */
export function failedStep({ key, values }: WalletError): Extract<WalletStep, { step: 'failed' }> {
  return { step: 'failed', key, values };
}
