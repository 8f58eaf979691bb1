import type { Network, ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { AccountKind, Chain } from '../../outside/chains/chain.ts';
import type { Account } from '../../platform/caller.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { SECOND_MS, within } from '../../platform/time.ts';

// A person waits. A slower answer counts as unknown.
const ANSWER_TIMEOUT_MS = 3 * SECOND_MS;

/** Each look-up costs calls to providers. Routes that look up addresses or transactions share this quota. */
export const LOOK_UP_QUOTA = { name: 'address look-ups', perMinute: 60, by: 'account' as const };

/** What lives at an address. */
export interface LookedUp {
  /** Worth a second look, because many wallets are contracts. */
  warnings: (Exclude<AccountKind, 'token_account' | 'token_mint'> | 'not_looked_up')[];
  /** Why money that is sent there is lost, in sentences. */
  unfit: string | null;
}

/** What an address is on the chain. An answer that does not come in time is not a reason to reject it. */
export async function lookUpAddress(
  { chains, log }: Pick<Context, 'chains' | 'log'>,
  account: Pick<Account, 'livemode'>,
  network: Network,
  address: string,
): Promise<LookedUp> {
  // The networks of test mode are simulated and have no contracts.
  if (!account.livemode) return { warnings: [], unfit: null };
  const chain = chains.get(network as ReceiveNetwork);
  const asked = chain && lookUp(chain, address);
  const found = await within(
    ANSWER_TIMEOUT_MS,
    asked?.catch((error: unknown) => {
      if (!(error instanceof TemporaryError))
        log.warn({ err: error, network }, 'address check failed: no provider returned a valid response');
      return undefined;
    }) ?? Promise.resolve(undefined),
    undefined,
  );
  return found ?? { warnings: ['not_looked_up'], unfit: null };
}

async function lookUp(chain: Chain, address: string): Promise<LookedUp | undefined> {
  const kind = await chain.accountKindOf?.(address);
  if (kind === undefined) return undefined;
  if (kind === 'token_mint')
    return { warnings: [], unfit: 'This is the mint of a token, not a wallet. Send the address of a wallet.' };
  if (kind !== 'token_account') return { warnings: kind === null ? [] : [kind], unfit: null };
  const owner = await chain.tokenAccountOwner?.(address);
  return {
    warnings: [],
    unfit: owner
      ? `This is a token account, not a wallet. Its owner is ${owner}: send that address.`
      : 'This is a token account, not a wallet. Send the address of its owner.',
  };
}
