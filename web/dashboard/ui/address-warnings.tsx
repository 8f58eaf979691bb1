import { type MessageKey, useT } from '../lib/i18n.tsx';
import type { AddressWarning, RefundWarning } from '../lib/types.ts';
import { Notice } from './basic.tsx';

const WARNINGS: Record<AddressWarning | RefundWarning, MessageKey> = {
  saved_already: 'You’ve already saved this address for this asset.',
  saved_elsewhere: 'You’ve already saved this address for a different asset or network. That’s fine if it’s intended.',
  shared:
    'Another account has also saved this address. Verify ownership, or you can’t assign its unattributed transfers.',
  contract:
    'This address is a contract, not a regular wallet. That’s fine for a smart wallet or multisig on this network; otherwise funds sent there may be lost.',
  program: 'This address is a program, not a wallet. Funds sent there are most likely lost.',
  more_than_sent:
    'This address sent less than this amount to the payment. Ask the customer before you send more than it sent.',
  small_sender: 'This address sent less than 5% of the payment. A stranger can do that to appear in this list.',
  lookalike:
    'This address starts and ends like another address of this payment, but it’s different. Compare every character.',
  not_a_sender:
    'This address didn’t send anything to this payment. Compare every character with the address the customer gave you.',
  not_looked_up: 'The network is unavailable, so we couldn’t check whether this address is a contract.',
};

/** Worth a second look; each form decides whether one of them keeps it from being saved. */
export function AddressWarnings({ warnings }: { warnings: readonly (AddressWarning | RefundWarning)[] }) {
  const t = useT();
  return warnings.map((warning) => (
    <Notice key={warning} tone={warning === 'not_looked_up' || warning === 'saved_elsewhere' ? 'neutral' : 'warn'}>
      {t(WARNINGS[warning])}
    </Notice>
  ));
}
