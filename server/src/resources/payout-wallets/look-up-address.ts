import { type Network, type ReceiveNetwork, NETWORKS, RECEIVE_NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { AccountKind, Chain } from '../../outside/chains/chain.ts';
import type { Stranger } from '../../platform/http/admission/client.ts';
import type { Account } from '../../platform/caller.ts';
import { TemporaryError, fail } from '../../platform/errors.ts';
import { SECOND_MS, within, later, MINUTE_MS } from '../../platform/time.ts';
import { solanaBytes, solanaKeyKind } from '../../outside/chains/solana-key.ts';
import { validateAddress } from './validate-address.ts';
import type { Job } from '../../job.ts';
import { findToLookUp, saveLook } from './store.ts';

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
  { network, address }: { network: Network; address: string },
  stranger?: Stranger,
): Promise<LookedUp> {
  // The networks of test mode are simulated and have no contracts.
  if (!account.livemode) return { warnings: [], unfit: null };
  const chain = chains.get(network as ReceiveNetwork);
  const asked = chain && lookUp(chain, address, stranger);
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

async function lookUp(chain: Chain, address: string, stranger?: Stranger): Promise<LookedUp | undefined> {
  const kind = await chain.accountKindOf?.(address, stranger);
  if (kind === undefined) return undefined;
  if (kind === 'token_mint')
    return { warnings: [], unfit: 'This is the mint of a token, not a wallet. Send the address of a wallet.' };
  if (kind !== 'token_account') return { warnings: kind === null ? [] : [kind], unfit: null };
  const owner = await chain.tokenAccountOwner?.(address, stranger);
  return {
    warnings: [],
    unfit: owner
      ? `This is a token account, not a wallet. Its owner is ${owner}: send that address.`
      : 'This is a token account, not a wallet. Send the address of its owner.',
  };
}

/** What a look at an address says about a wallet. */
export interface WalletLook {
  /**
   * Whether the address must be proved even if no other account has saved it: it has code, or a program derived it, so
   * it may be an exchange or a pool. An address that no provider answers for counts as one until it is looked up.
   */
  needsProof: boolean;
  isLookedUp: boolean;
  unfit: string | null;
}

/** Looks at an address before it is saved. Refuses one where money is lost. */
export async function lookAtAddress(
  ctx: Pick<Context, 'chains' | 'log'>,
  account: Account,
  saved: { network: string; address: string },
): Promise<WalletLook> {
  const network = RECEIVE_NETWORKS.find((one) => one === saved.network.toLowerCase());
  const verdict = network && validateAddress(network, saved.address);
  // Test mode has no chains, and saving refuses what is not valid.
  if (!account.livemode || !network || !verdict?.ok) return { needsProof: false, isLookedUp: true, unfit: null };
  const found = await lookUpAddress(ctx, account, { network, address: verdict.address });
  const look = toLook(network, verdict.address, found);
  // Without a provider the network is not watched, so there is nothing to protect before it has one.
  if (!ctx.chains.has(network)) return { ...look, needsProof: isDerived(network, verdict.address) };
  return look.unfit === null ? look : fail('invalid_payout_wallet', { param: 'address', message: look.unfit });
}

export function toLook(network: ReceiveNetwork, address: string, { warnings, unfit }: LookedUp): WalletLook {
  return {
    needsProof: isDerived(network, address) || warnings.length > 0,
    isLookedUp: !warnings.includes('not_looked_up'),
    unfit,
  };
}

function isDerived(network: ReceiveNetwork, address: string): boolean {
  const bytes = NETWORKS[network].family === 'solana' ? solanaBytes(address) : undefined;
  return bytes !== undefined && solanaKeyKind(bytes) === 'derived';
}

const RETRY_AFTER_MS = 1 * MINUTE_MS;
/** Of each network. Each waits up to three seconds for an answer. */
const MAX_AT_ONCE = 20;

/**
 * Looks up the live wallets that were saved while no provider answered. Networks go beside each other, so that one that no
 * provider serves delays no other.
 */
export const lookUpWalletsJob: Job = {
  name: 'look-up-wallets',
  everyMs: RETRY_AFTER_MS,
  async run(ctx, signal) {
    const left = await Promise.all([...ctx.chains.keys()].map((network) => lookUpDue(ctx, network, signal)));
    return left.includes('more') ? 'more' : 'idle';
  },
};

async function lookUpDue(ctx: Context, network: ReceiveNetwork, signal: AbortSignal): Promise<'more' | 'idle'> {
  const now = await ctx.db.now();
  const wallets = await findToLookUp(ctx.db, network, { now, limit: MAX_AT_ONCE });
  let answers = 0;
  for (const { id, address } of wallets) {
    if (signal.aborted) break;
    const look = toLook(network, address, await lookUpAddress(ctx, { livemode: true }, { network, address }));
    answers += Number(look.isLookedUp);
    await saveLook(ctx.db, id, { ...look, lookUpAt: look.isLookedUp ? null : later(now, RETRY_AFTER_MS) });
    if (look.unfit !== null) ctx.log.warn({ walletId: id, network, why: look.unfit }, 'payout wallet unfit');
  }
  return answers > 0 && wallets.length === MAX_AT_ONCE ? 'more' : 'idle';
}
