import type { HeldRefundsJson } from '@quittance/contract/dashboard';
import { later, MINUTE_MS } from '../../platform/time.ts';
import type { Outgoing, WalletHold } from './outgoing.ts';

/** As long as a person may need to look at a prompt of their wallet. */
const HOLD_MS = 10 * MINUTE_MS;

/** Those of them that the wallets of other browsers have now. */
export function othersOf(all: readonly Outgoing[], holder: string, now: Date): HeldRefundsJson['others'] {
  return all.flatMap(({ id, wallet }) =>
    wallet && wallet.holder !== holder && wallet.until > now
      ? [{ id, address: wallet.address, until: wallet.until.toISOString() }]
      : [],
  );
}

export function holdFor(holder: string, address: string, now: Date): WalletHold {
  return { holder, address, until: later(now, HOLD_MS) };
}
