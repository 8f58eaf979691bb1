import { TemporaryError } from '../../../platform/errors.ts';
import type { Transfer } from '../chain.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Evm, WatchedWallets } from './evm.ts';
import type { EvmContext } from './native.ts';
import { claimedReferences, type Movement, needsTrace, referencesOf } from './references.ts';
import type { TaggedCall } from './trace.ts';
import { inboundOf, type SeenTransaction } from './transfers.ts';

// A stranger can trigger a trace with any transaction that contains a watched wallet and a tag, so traces must not
// delay reading for long.
export const MAX_TRACES_PER_MINUTE = 30;
export const MAX_TRACING_MS_PER_MINUTE = 6_000;
// The number of providers that must agree on a payment. A single one can prove no reference.
const QUORUM = 2;

/**
 * The tagged calls that a transaction executed, traced only if a reference depends on it. They count if two providers
 * agree (or the only one configured); otherwise the references stay unproven. Who does not trace says nothing; providers
 * that show other calls contradict each other.
 */
export async function taggedCallsOf(
  context: EvmContext,
  provider: Provider,
  seen: SeenTransaction,
  watched: WatchedWallets,
): Promise<readonly TaggedCall[]> {
  if (!needsTrace(inboundOf(context.evm, seen, watched), seen)) return [];
  const agreed = await context.traceBudget.spend(() => traceAgreed(context, provider, seen.receipt.txHash));
  if (agreed === undefined)
    context.evm.log.info({ txHash: seen.receipt.txHash }, 'reference not traced: trace budget exhausted');
  return agreed ?? [];
}

async function traceAgreed(
  { providers, tracer, onTracesDiffer }: EvmContext,
  provider: Provider,
  txHash: string,
): Promise<readonly TaggedCall[]> {
  const needed = Math.min(QUORUM, providers.names.length);
  const answers = new Map<string, TaggedCall[]>();
  for (const name of [provider.name, ...providers.names.filter((other) => other !== provider.name)]) {
    const calls =
      name === provider.name
        ? await tracer.taggedCalls(txHash, provider).catch(undefinedIfFailed)
        : await providers
            .use((other) => tracer.taggedCalls(txHash, other), { only: [name], ignoreFailures: true })
            .catch(undefinedIfFailed);
    if (!calls) continue;
    answers.set(name, calls);
    // One that traces wrongly must not hide what two others show.
    if ([...answers.values()].filter((other) => same(other, calls)).length >= needed) return calls;
  }
  if (answers.size > 1) onTracesDiffer?.(txHash, [...answers.keys()]);
  return [];
}

/**
 * The references of a known transfer that one provider confirms with its own data. Reading needed two traces to prove a
 * call. A provider that does not trace can only confirm that the calldata contains it.
 */
export async function confirmedReferences(
  context: EvmContext,
  provider: Provider,
  seen: SeenTransaction,
  transfer: Transfer,
): Promise<readonly Uint8Array[]> {
  const { movements, own } = movementsTo(context.evm, seen, transfer);
  const carriedWith = (executed: readonly TaggedCall[]) =>
    referencesOf(movements, { ...seen, executed })[own]?.carried ?? [];
  if (transfer.carried.length === 0 || !needsTrace(movements, seen)) return carriedWith([]);
  const traced = await context.tracer.taggedCalls(transfer.txHash, provider);
  if (traced) return carriedWith(traced);
  const movement = movements[own] as Movement;
  return [...(movement.nonce ? [movement.nonce] : []), ...claimedReferences(movement, seen.transaction.input)];
}

/** All transfers of the transaction to the transfer's wallet: with fewer transfers, a reference counts no less. */
function movementsTo(
  evm: Evm,
  seen: SeenTransaction,
  transfer: Transfer,
): { movements: readonly Movement[]; own: number } {
  const to = transfer.to.toLowerCase();
  const movements = inboundOf(evm, seen, new Map([[to, transfer.to]]));
  const own = movements.findIndex((movement) => movement.index === transfer.index);
  if (own !== -1) return { movements, own };
  // An internal transfer, if this provider does not trace.
  return {
    movements: [
      ...movements,
      { from: transfer.from?.toLowerCase() ?? null, to, amountUnits: transfer.amountUnits, token: null },
    ],
    own: movements.length,
  };
}

function same(a: readonly TaggedCall[], b: readonly TaggedCall[]): boolean {
  return (
    a.length === b.length &&
    a.every((call, at) => {
      const other = b[at] as TaggedCall;
      return (
        call.from === other.from &&
        call.to === other.to &&
        call.valueWei === other.valueWei &&
        call.input === other.input
      );
    })
  );
}

function undefinedIfFailed(error: unknown): undefined {
  if (error instanceof ProviderError || error instanceof TemporaryError) return undefined;
  throw error;
}
