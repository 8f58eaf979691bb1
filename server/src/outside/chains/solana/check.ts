import type { Head, Transfer, VerdictHead, Watching } from '../chain.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Report } from '../rpc/quorum.ts';
import {
  blockHead,
  findSignatures,
  findTransactions,
  newestSlot,
  requireBlock,
  slotsFrom,
  transactionOf,
  UnreadableTransaction,
} from './calls.ts';
import { isSameTransfer } from '../same-transfer.ts';
import { readHead } from './head.ts';
import type { Block, Transaction } from './shapes.ts';
import { keepShown, shownBlock } from './shown-blocks.ts';
import type { Solana } from './solana.ts';
import { selfTransfersOf } from './self-transfers.ts';
import { mayCarry, transfersOf } from './transfers.ts';

/** Asks one provider for transaction, block and head, and compares them with each other and with the transfer. */
export async function reportOn(
  solana: Solana,
  provider: Provider,
  transfer: Transfer,
  watching: Watching,
): Promise<Report> {
  const placed = await askFinal(solana, provider, transfer);
  return placed
    ? compare(solana, provider, transfer, { ...placed, watching })
    : reportInFull(solana, provider, transfer, watching);
}

/** A transaction in its block, as one provider has it. */
interface Placed {
  head: VerdictHead;
  transaction: Transaction;
  block: Block;
}

/**
 * One request for a transfer that is finalized, as most are when they are verified: what is finalized does not move.
 * Undefined if the answers do not show it in the block in which it was read.
 */
async function askFinal(
  solana: Solana,
  provider: Provider,
  { txHash, block: read }: Transfer,
): Promise<Placed | undefined> {
  const { number } = read;
  const shown = shownBlock(solana, provider, read);
  const answers = await provider.attempt<unknown>([
    newestSlot('finalized'),
    transactionOf(txHash, 'finalized', 0),
    ...(shown ? [] : [blockHead(number, 'finalized')]),
  ]);
  const [finalized, transaction, block = shown] = answers.map((one) => ('value' in one ? one.value : null)) as [
    bigint | null,
    Transaction | UnreadableTransaction | null,
    (Block | null)?,
  ];
  if (finalized === null || finalized < number || !block) return undefined;
  if (!transaction || transaction instanceof UnreadableTransaction || transaction.slot !== number) return undefined;
  if (!shown) keepShown(solana, provider, block);
  return { head: { number: finalized, safe: null, finalized }, transaction, block };
}

/** Asks for whatever it takes to say where a transfer is, or that it is nowhere. */
async function reportInFull(
  solana: Solana,
  provider: Provider,
  transfer: Transfer,
  watching: Watching,
): Promise<Report> {
  const head = await readHead(provider);
  const isFinalized = head.finalized !== null && transfer.block.number <= head.finalized;
  const gone = (details: string) => ({ type: 'gone' as const, provider: provider.name, details });

  const transaction = await find(provider, transfer.txHash, isFinalized);
  if (!transaction) {
    return (await isAbsent(provider, transfer, isFinalized))
      ? gone(`${provider.name} does not know ${transfer.txHash}, nor is it in slot ${transfer.block.number}`)
      : notYet(provider, transfer.block.number, head);
  }
  if (transaction.slot > head.number) return notYet(provider, transaction.slot, head);
  const block = await requireBlock(provider, transaction.slot);
  return compare(solana, provider, transfer, { head: tagsOf(head), transaction, block, watching });
}

function compare(
  solana: Solana,
  provider: Provider,
  transfer: Transfer,
  { head, transaction, block, watching: { addresses, selfTransfers } }: Placed & { watching: Watching },
): Report {
  const gone = (details: string) => ({ type: 'gone' as const, provider: provider.name, details });
  if (transaction.failed) return gone(`${transfer.txHash} failed`);
  const holds = (selfTransfers ? selfTransfersOf : transfersOf)(solana, { transaction, block }, addresses);
  const found = holds.find((candidate) => isSameTransfer(candidate, transfer));
  if (!found) return { ...gone(`${transfer.txHash} no longer holds this transfer`), instead: holds };
  // A reference decides which payment gets the transfer, so every provider must confirm it. Which loose references
  // counted depends on the wallets watched at the time, so the transfer is compared with all that it may carry.
  const shown = new Set(
    mayCarry(solana, transaction, found).map((reference) => Buffer.from(reference).toString('hex')),
  );
  if (transfer.carried.some((reference) => !shown.has(Buffer.from(reference).toString('hex')))) {
    return {
      type: 'differs',
      provider: provider.name,
      details: `${provider.name}: ${transfer.txHash} does not carry the reference that was read with it`,
    };
  }
  return { type: 'stands', provider: provider.name, transfer: found, head };
}

/** Finalized data is requested first if the transfer should be finalized. Otherwise it may be in a later slot now. */
async function find(provider: Provider, txHash: string, isFinalized: boolean): Promise<Transaction | null> {
  for (const commitment of isFinalized ? (['finalized', 'confirmed'] as const) : (['confirmed'] as const)) {
    const [transaction] = await findTransactions(provider, [txHash], commitment);
    if (transaction) return transaction;
  }
  return null;
}

/**
 * Whether the provider has the slot without the transaction, or shows that the slot has no block. False if it has not
 * reached the slot: a node that is behind does not know the transaction either.
 */
async function isAbsent(provider: Provider, transfer: Transfer, isFinalized: boolean): Promise<boolean> {
  const { number } = transfer.block;
  const signatures = await findSignatures(provider, number, isFinalized ? 'finalized' : 'confirmed');
  if (signatures === null) return false;
  if (signatures !== 'skipped') {
    if (signatures.has(transfer.txHash))
      throw new ProviderError(`${provider.name} has ${transfer.txHash} in slot ${number} but does not know it`);
    return true;
  }
  const [next] = await provider.call(slotsFrom(number, 1, 'confirmed'));
  if (next === undefined) return false;
  const following = await requireBlock(provider, next);
  if (following.parentSlot >= number) throw new ProviderError(`${provider.name} lacks the block of slot ${number}`);
  return true;
}

function notYet(provider: Provider, slot: bigint, head: Head): Report {
  return {
    type: 'not_yet',
    provider: provider.name,
    details: `${provider.name} is at slot ${head.number} and does not have slot ${slot} yet`,
    head: tagsOf(head),
  };
}

function tagsOf({ number, safe, finalized }: Head) {
  return { number, safe, finalized };
}
