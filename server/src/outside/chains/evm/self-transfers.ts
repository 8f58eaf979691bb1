import type { Transfer } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import type { EvmContext } from './native.ts';
import type { WatchedWallets } from './evm.ts';
import type { Block, Transaction } from './shapes.ts';
import { type SeenTransaction, transfersOf } from './transfers.ts';

const TRANSFER_SELECTOR = '0xa9059cbb';

/**
 * Whether the wallet itself called the token to send itself this amount. The log alone does not prove that: a spender
 * with an allowance can move a wallet's tokens to itself. Undefined if only a trace could show it and this provider has
 * none.
 */
export async function isCalledByWallet(
  { evm, tracer, traceBudget }: EvmContext,
  provider: Provider,
  transaction: Transaction,
  { asset, from, to, amountUnits }: Transfer,
): Promise<boolean | undefined> {
  const wallet = (from ?? '').toLowerCase();
  const word = (value: string) => value.padStart(64, '0');
  const wanted = `${TRANSFER_SELECTOR}${word(to.slice(2).toLowerCase())}${word(amountUnits.toString(16))}`;
  const isIt = (call: { to: string | null; input: string }) =>
    call.to !== null && evm.tokens.get(call.to) === asset && call.input.startsWith(wanted);

  if (transaction.from === wallet && isIt(transaction)) return true;
  const traced = await traceBudget.spend(async () => ({
    calls: await tracer.callsFrom(wallet, transaction.hash, provider),
  }));
  return traced?.calls?.some(isIt);
}

/** Self-transfers of watched wallets in one transaction that this provider can prove the wallets made themselves. */
export async function selfTransfersOf(
  context: EvmContext,
  provider: Provider,
  seen: SeenTransaction & { block: Block },
  watched: WatchedWallets,
): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  for (const transfer of transfersOf(context.evm, seen, watched, { selfTransfers: true })) {
    if (transfer.from === transfer.to && (await isCalledByWallet(context, provider, seen.transaction, transfer)))
      transfers.push(transfer);
  }
  return transfers;
}
