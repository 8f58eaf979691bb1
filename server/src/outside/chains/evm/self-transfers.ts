import type { Transfer } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Inside } from './native.ts';
import type { Watched } from './evm.ts';
import type { Block, Transaction } from './shapes.ts';
import { type SeenTransaction, transfersOf } from './transfers.ts';

const TRANSFER_SELECTOR = '0xa9059cbb';

/**
 * Whether the wallet itself called the token to send itself this amount. The log alone does not say so: a spender with
 * an allowance can move a wallet's tokens from the wallet to itself. Undefined where only a trace could tell and this
 * provider has none.
 */
export async function isCalledByWallet(
  { evm, tracer, traceBudget }: Inside,
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

/** What watched wallets sent to themselves in one transaction, as far as this provider can show that they did it themselves. */
export async function selfTransfersOf(
  inside: Inside,
  provider: Provider,
  seen: SeenTransaction & { block: Block },
  watched: Watched,
): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  for (const transfer of transfersOf(inside.evm, seen, watched, { selfTransfers: true })) {
    if (transfer.from === transfer.to && (await isCalledByWallet(inside, provider, seen.transaction, transfer)))
      transfers.push(transfer);
  }
  return transfers;
}
