import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { AccountKind } from '../../outside/chains/chain.ts';
import type { Account } from '../../platform/caller.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { SECOND_MS, within } from '../../platform/time.ts';

// A person waits. A slower answer counts as unknown.
const ANSWER_TIMEOUT_MS = 3 * SECOND_MS;

/** Each look-up costs calls to a provider. Routes that look up addresses share this quota. */
export const LOOK_UP_QUOTA = { name: 'address look-ups', perMinute: 60, by: 'account' as const };

/** What a payout address is on the chain. Never a reason to reject it, because many wallets are contracts. */
export async function lookUpAddress(
  { chains, log }: Pick<Context, 'chains' | 'log'>,
  account: Account,
  network: ReceiveNetwork,
  address: string,
): Promise<(AccountKind | 'not_looked_up')[]> {
  // The networks of test mode are simulated and have no contracts.
  if (!account.livemode) return [];
  const asked = chains
    .get(network)
    ?.accountKindOf?.(address)
    .catch((error: unknown) => {
      if (!(error instanceof TemporaryError))
        log.warn({ err: error, network }, 'address check failed: no provider returned a valid response');
      return undefined;
    });
  const accountWarning = await within(ANSWER_TIMEOUT_MS, asked ?? Promise.resolve(undefined), undefined);
  if (accountWarning === undefined) return ['not_looked_up'];
  return accountWarning === null ? [] : [accountWarning];
}
