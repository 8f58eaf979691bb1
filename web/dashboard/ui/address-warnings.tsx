import { useT } from '../lib/i18n.tsx';
import type { AddressWarning, RefundWarning } from '../lib/types.ts';
import { Notice } from './basic.tsx';

const WARNINGS: Record<AddressWarning | RefundWarning, string> = {
  saved_already: 'You have saved this address for this asset before. A second one only makes a second name for it.',
  saved_elsewhere: 'You have saved this address for another asset or network. That is fine if it is meant.',
  shared:
    'Another account has saved this address too. Prove that it is yours, or money that no payment takes cannot be assigned.',
  contract:
    'A contract lives at this address, not an ordinary wallet. That is right for a smart wallet or a multisignature vault on this very network; anywhere else money sent there may be lost.',
  program: 'A program lives at this address, not a wallet. Money sent there is most likely lost.',
  token_account:
    'This is the account of a single token, not the wallet that owns it. Use the address of the wallet itself, or money may be lost.',
  more_than_sent:
    'This address sent less than this amount to the payment. Ask the customer before you send more than it sent.',
  small_sender: 'This address sent less than 5% of the payment. A stranger can do that to be listed here.',
  lookalike:
    'This address begins and ends like another address of this payment, but it is a different one. Compare every character.',
  not_a_sender: 'This address sent nothing to this payment. Compare every character with what the customer told you.',
  not_looked_up: 'The network did not answer, so it is not known whether a contract lives at this address.',
};

/** Worth a second look; nothing is blocked. */
export function AddressWarnings({ warnings }: { warnings: readonly (AddressWarning | RefundWarning)[] }) {
  const t = useT();
  return warnings.map((warning) => (
    <Notice key={warning} tone={warning === 'not_looked_up' || warning === 'saved_elsewhere' ? 'neutral' : 'warn'}>
      {t(WARNINGS[warning])}
    </Notice>
  ));
}
