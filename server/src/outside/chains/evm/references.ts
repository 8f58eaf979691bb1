import type { Receipt, Transaction } from './shapes.ts';
import { findTags, leadingReference, mayHoldTag, referencesBehindCall } from './tag.ts';
import type { TaggedCall } from './trace.ts';
import { executedOperations, isBundle } from './user-operations.ts';

/** A transfer as far as its references depend on it. Addresses are lower case; `token` is null for the native coin. */
export interface Movement {
  from: string | null;
  to: string;
  amountUnits: bigint;
  token: string | null;
}

/** What is known of the transaction: `executed` holds the tagged calls that a trace showed. */
export interface Evidence {
  transaction: Pick<Transaction, 'from' | 'to' | 'input'>;
  receipt: Pick<Receipt, 'logs'>;
  executed?: readonly TaggedCall[];
}

export interface References {
  /** The debited account itself wrote them. */
  carried: Uint8Array[];
  /** They stand in the calldata, and anybody may have written them. */
  unproven: Uint8Array[];
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const MAX_UNPROVEN = 4;

/**
 * Which references belong to which transfer of one transaction. Calldata proves nothing by itself: whoever triggers
 * somebody else's transfer writes into it what they like. A reference is carried only if the debited account sent the
 * transaction, signed the user operation, or made the tagged call itself. Money that is minted has no such account.
 */
export function referencesOf(movements: readonly Movement[], evidence: Evidence): References[] {
  const { input } = evidence.transaction;
  if (!mayHoldTag(input)) return movements.map(() => ({ carried: [], unproven: [] }));

  const carried = movements.map((movement) => (isMint(movement) ? [] : distinct([...authored(movement, movements, evidence), ...executed(movement, movements, evidence)])));
  const proven = new Set(carried.flat().map(hex));
  const tags = findTags(input);
  const inInput = [...tags.bound.map((tag) => tag.reference), ...tags.loose];
  return movements.map((movement, place) => ({
    carried: carried[place] ?? [],
    unproven: distinct([...referencesBehindCall(input, movement.to, movement.amountUnits), ...inInput]).filter((reference) => !proven.has(hex(reference))).slice(0, MAX_UNPROVEN),
  }));
}

/** Whether a trace could prove a reference that nothing else proves. */
export function needsTrace(movements: readonly Movement[], evidence: Evidence): boolean {
  if (!mayHoldTag(evidence.transaction.input)) return false;
  const references = referencesOf(movements, evidence);
  return movements.some((movement, place) => !isMint(movement) && references[place]?.carried.length === 0 && claimed(movement, evidence.transaction.input).length > 0);
}

/** The references that the calldata holds in the form of this transfer, whoever wrote them. */
export function claimed(movement: Movement, input: string): Uint8Array[] {
  return movement.token === null ? findTags(input).loose : referencesBehindCall(input, movement.to, movement.amountUnits);
}

/** What the debited account wrote: the transaction that it sent, or the calldata of the operations that it signed. */
function authored(movement: Movement, movements: readonly Movement[], { transaction, receipt }: Evidence): readonly Uint8Array[] {
  const { from } = movement;
  const inputs = isBundle(transaction)
    ? executedOperations(transaction, receipt).filter((operation) => operation.sender === from).map((operation) => operation.callData)
    : transaction.from === from ? [transaction.input] : [];
  const behindCall = inputs.flatMap((input) => referencesBehindCall(input, movement.to, movement.amountUnits));
  const twins = movements.filter((other) => other.from === from && other.to === movement.to && other.amountUnits === movement.amountUnits);
  const own = shareOf(movement, twins, behindCall);
  // A tag that stands elsewhere says which transfer it means only where there is a single one.
  return movements.length > 1 ? own : [...own, ...inputs.flatMap((input) => {
    const tags = findTags(input);
    return [...tags.bound.filter((tag) => tag.to !== movement.to || tag.amountUnits !== movement.amountUnits).map((tag) => tag.reference), ...tags.loose];
  })];
}

/** The references of calls that the debited account made, to the token or as a native payment, and that did not revert. */
function executed(movement: Movement, movements: readonly Movement[], { executed: calls = [] }: Evidence): readonly Uint8Array[] {
  const { from, to, token, amountUnits } = movement;
  const references = calls.filter((call) => call.from === from && call.to === (token ?? to)).flatMap((call) => {
    if (token !== null) return referencesBehindCall(call.input, to, amountUnits);
    const reference = leadingReference(call.input);
    return reference && call.valueWei === amountUnits ? [reference] : [];
  });
  return shareOf(movement, movements.filter((other) => other.from === from && other.to === to && other.token === token && other.amountUnits === amountUnits), references);
}

/** Equal transfers share their references in order. More references than transfers: each gets all, and the payment rules decide. */
function shareOf(movement: Movement, twins: readonly Movement[], references: readonly Uint8Array[]): readonly Uint8Array[] {
  const place = twins.indexOf(movement);
  return references.length > twins.length ? references : references.slice(place, place + 1);
}

function isMint(movement: Movement): boolean {
  return movement.from === null || movement.from === ZERO_ADDRESS;
}

function distinct(references: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(references.map((reference) => [hex(reference), reference])).values()];
}

function hex(reference: Uint8Array): string {
  return Buffer.from(reference).toString('hex');
}
