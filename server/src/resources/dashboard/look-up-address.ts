import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { TemporaryFailure } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';
import type { AddressWarning } from './endpoints.ts';

// Somebody waits with the address typed in; what takes longer is said not to be known.
const PATIENCE_MS = 3 * SECOND_MS;

/** Who lives at an address where money would be sent for good: warned of and never refused, since many wallets are contracts. */
export async function lookUpAddress(
  { chains, log }: Context,
  account: Account,
  network: ReceiveNetwork,
  address: string,
): Promise<AddressWarning[]> {
  // The networks of test mode are ours, and nobody lives there.
  if (!account.livemode) return [];
  const asked = chains
    .get(network)
    ?.inhabitantOf?.(address)
    .catch((error: unknown) => {
      if (!(error instanceof TemporaryFailure)) log.warn({ err: error, network }, 'address check failed');
      return undefined;
    });
  const inhabitant = await Promise.race([asked, patience()]);
  if (inhabitant === undefined) return ['not_looked_up'];
  return inhabitant === null ? [] : [inhabitant];
}

function patience(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, undefined).unref());
}
