import { TemporaryError } from '../../../platform/errors.ts';
import type { Transfer } from '../chain.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Evm, Watched } from './evm.ts';
import type { Inside } from './native.ts';
import { claimedReferences, type Movement, needsTrace, referencesOf } from './references.ts';
import type { TaggedCall } from './trace.ts';
import { inboundOf, type SeenTransaction } from './transfers.ts';

// A stranger provokes a trace with any transaction that names a watched wallet and a tag, so reading may not wait long for them.
export const MAX_TRACES_A_MINUTE = 30;
export const MAX_TRACING_MS_A_MINUTE = 6_000;
// As many providers as agree on a payment: one alone can prove no reference.
const WITNESSES = 2;

/**
 * The tagged calls that a transaction executed, traced only where a reference depends on it. They count where two
 * providers show the same (or the only one that is configured); else the references stay unproven.
 */
export async function taggedCallsOf(
  inside: Inside,
  provider: Provider,
  seen: SeenTransaction,
  watched: Watched,
): Promise<readonly TaggedCall[]> {
  if (!needsTrace(inboundOf(inside.evm, seen, watched), seen)) return [];
  const agreed = await inside.traceBudget.spend(() => traceAgreed(inside, provider, seen.receipt.txHash));
  if (agreed === undefined)
    inside.evm.log.info({ txHash: seen.receipt.txHash }, 'reference not traced: trace budget exhausted');
  return agreed ?? [];
}

async function traceAgreed(
  { providers, tracer }: Inside,
  provider: Provider,
  txHash: string,
): Promise<readonly TaggedCall[]> {
  const needed = Math.min(WITNESSES, providers.names.length);
  const answers: TaggedCall[][] = [];
  for (const name of [provider.name, ...providers.names.filter((other) => other !== provider.name)]) {
    const calls =
      name === provider.name
        ? await tracer.taggedCalls(txHash, provider).catch(undefinedIfFailed)
        : await providers
            .use((other) => tracer.taggedCalls(txHash, other), { only: [name], forgiving: true })
            .catch(undefinedIfFailed);
    if (calls) answers.push(calls);
    if (answers.length === needed) break;
  }
  const [first = []] = answers;
  return answers.length === needed && answers.every((calls) => same(calls, first)) ? first : [];
}

/**
 * The references of a known transfer that one provider confirms by what it shows itself. Reading had two traces to prove a
 * call; a provider that does not trace can only confirm that the calldata holds it.
 */
export async function confirmedReferences(
  inside: Inside,
  provider: Provider,
  seen: SeenTransaction,
  transfer: Transfer,
): Promise<readonly Uint8Array[]> {
  const { movements, own } = movementsTo(inside.evm, seen, transfer);
  const carriedWith = (executed: readonly TaggedCall[]) =>
    referencesOf(movements, { ...seen, executed })[own]?.carried ?? [];
  if (transfer.carried.length === 0 || !needsTrace(movements, seen)) return carriedWith([]);
  const traced = await inside.tracer.taggedCalls(transfer.txHash, provider);
  if (traced) return carriedWith(traced);
  const movement = movements[own] as Movement;
  return [...(movement.nonce ? [movement.nonce] : []), ...claimedReferences(movement, seen.transaction.input)];
}

/** Everything that the transaction brought to the transfer's wallet alone: beside fewer transfers a reference counts no less. */
function movementsTo(
  evm: Evm,
  seen: SeenTransaction,
  transfer: Transfer,
): { movements: readonly Movement[]; own: number } {
  const to = transfer.to.toLowerCase();
  const movements = inboundOf(evm, seen, new Map([[to, transfer.to]]));
  const own = movements.findIndex((movement) => movement.index === transfer.index);
  if (own !== -1) return { movements, own };
  // Native money from inside a contract, where this provider does not trace.
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
