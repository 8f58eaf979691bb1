import type { Transfer } from '../chain.ts';
import type { Testimony } from '../rpc/check.ts';
import { ProviderFailure } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import { findSignatures, findTransactions, requireBlock, slotsFrom } from './calls.ts';
import { readHead } from './head.ts';
import type { Transaction } from './shapes.ts';
import type { Solana, Watched } from './solana.ts';
import { sameTransfer, transfersOf } from './transfers.ts';

/** Asks one provider for transaction, block and head, and holds them against each other and the transfer. */
export async function testify(solana: Solana, provider: Provider, transfer: Transfer, watched: Watched): Promise<Testimony> {
  const head = await readHead(provider);
  const isFinalized = head.finalized !== null && transfer.block.number <= head.finalized;
  const gone = (details: string) => ({ type: 'gone' as const, provider: provider.name, details });

  const transaction = await find(provider, transfer.txHash, isFinalized);
  if (!transaction) {
    await requireAbsence(provider, transfer, isFinalized);
    return gone(`${provider.name} does not know ${transfer.txHash}, nor is it in slot ${transfer.block.number}`);
  }
  if (transaction.slot > head.number) throw new ProviderFailure(`${provider.name} tells slot ${head.number} and has a transaction of slot ${transaction.slot}`);
  if (transaction.failed) return gone(`${transfer.txHash} failed`);

  const block = await requireBlock(provider, transaction.slot);
  const holds = transfersOf(solana, { transaction, block }, watched);
  const found = holds.find((candidate) => sameTransfer(candidate, transfer));
  if (!found) return { ...gone(`${transfer.txHash} no longer holds this transfer`), instead: holds };
  // A reference decides whose payment it is, so one provider's word for it is not enough either.
  const shown = new Set(found.carried.map((reference) => Buffer.from(reference).toString('hex')));
  if (transfer.carried.some((reference) => !shown.has(Buffer.from(reference).toString('hex')))) {
    return { type: 'otherwise', provider: provider.name, details: `${transfer.txHash} does not carry the reference that was read with it, says ${provider.name}` };
  }
  return { type: 'stands', provider: provider.name, transfer: found, head: { number: head.number, safe: head.safe, finalized: head.finalized } };
}

/** What should be final by now is asked for as final first; it may have landed again in a later slot. */
async function find(provider: Provider, txHash: string, isFinalized: boolean): Promise<Transaction | null> {
  for (const commitment of isFinalized ? (['finalized', 'confirmed'] as const) : (['confirmed'] as const)) {
    const [transaction] = await findTransactions(provider, [txHash], commitment);
    if (transaction) return transaction;
  }
  return null;
}

/** A node that is behind, or forgetful, knows nothing either; only its block without the transaction, or a slot without a block, is a no. */
async function requireAbsence(provider: Provider, transfer: Transfer, isFinalized: boolean): Promise<void> {
  const { number } = transfer.block;
  const signatures = await findSignatures(provider, number, isFinalized ? 'finalized' : 'confirmed');
  if (signatures === null) throw new ProviderFailure(`${provider.name} has not come to slot ${number} yet`);
  if (signatures !== 'skipped') {
    if (signatures.has(transfer.txHash)) throw new ProviderFailure(`${provider.name} has ${transfer.txHash} in slot ${number} but does not know it`);
    return;
  }
  const [next] = await provider.call(slotsFrom(number, 1, 'confirmed'));
  const following = next === undefined ? undefined : await requireBlock(provider, next);
  if (!following || following.parentSlot >= number) throw new ProviderFailure(`${provider.name} lacks the block of slot ${number}`);
}
