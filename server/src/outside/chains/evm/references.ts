import type { Receipt, Transaction } from './shapes.ts';
import { findTags, mayHoldTag, type Tags } from './tag.ts';
import type { TaggedCall } from './trace.ts';
import { executedOperations, isBundle } from './user-operations.ts';

/**
 * The part of a transfer that determines its references. Addresses are lowercase; `token` is null for the native coin.
 */
export interface Movement {
  from: string | null;
  to: string;
  amountUnits: bigint;
  token: string | null;
  /** The nonce of the authorization that moved it. The debited account signed it. */
  nonce?: Uint8Array;
}

/** The transaction's data. `executed` has the tagged calls of a trace. */
export interface Evidence {
  transaction: Pick<Transaction, 'from' | 'to' | 'input'>;
  receipt: Pick<Receipt, 'logs'>;
  executed?: readonly TaggedCall[];
}

export interface References {
  /** Written by the debited account itself. */
  carried: Uint8Array[];
  /** Found in the calldata; anyone may have written them. */
  unproven: Uint8Array[];
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
// A transaction with more references is not a payment.
const MAX_CARRIED = 64;
const MAX_UNPROVEN = 4;
// In addition to the tags of its own call, this many other tags may become a transfer's unproven references.
const MAX_CANDIDATES = 64;

/**
 * Assigns references to the transfers of one transaction. Calldata proves nothing by itself: an account that triggers
 * another account's transfer controls the calldata. A reference is carried only if the debited account sent the transaction,
 * signed the user operation, or made the tagged call itself. Minted money has no such account.
 */
export function referencesOf(movements: readonly Movement[], evidence: Evidence): References[] {
  return calldataReferences(movements, evidence).map(({ carried, unproven }, place) => {
    const nonce = movements[place]?.nonce;
    return { carried: nonce ? distinct([nonce, ...carried]).slice(0, MAX_CARRIED) : carried, unproven };
  });
}

function calldataReferences(movements: readonly Movement[], evidence: Evidence): References[] {
  const { input } = evidence.transaction;
  if (!mayHoldTag(input)) return movements.map(() => ({ carried: [], unproven: [] }));

  const authored = authoredTags(movements, evidence);
  const executed = executedReferences(evidence.executed ?? []);
  const equal = Map.groupBy(movements, (movement) => `${movement.from} ${keyOf(movement.to, movement.amountUnits)}`);
  const carried = movements.map((movement) => {
    if (isMint(movement)) return [];
    const twins = equal.get(`${movement.from} ${keyOf(movement.to, movement.amountUnits)}`) ?? [];
    return distinct([
      ...byAuthor(movement, twins, authored.get(movement.from as string) ?? [], movements.length === 1),
      ...byCall(movement, twins, executed),
    ]).slice(0, MAX_CARRIED);
  });

  const proven = new Set(carried.flat().map(hex));
  const tags = readTags(input);
  return movements.map((movement, place) => ({
    carried: carried[place] ?? [],
    unproven: unprovenIn(tags, movement, proven),
  }));
}

/** Whether a trace could prove a reference that is otherwise unproven. */
export function needsTrace(movements: readonly Movement[], evidence: Evidence): boolean {
  if (!mayHoldTag(evidence.transaction.input)) return false;
  const references = calldataReferences(movements, evidence);
  const tags = readTags(evidence.transaction.input);
  return movements.some(
    (movement, place) =>
      !isMint(movement) && references[place]?.carried.length === 0 && claimedIn(tags, movement).length > 0,
  );
}

/** The references that the calldata binds to this transfer, regardless of their author. */
export function claimedReferences(movement: Movement, input: string): readonly Uint8Array[] {
  return claimedIn(readTags(input), movement);
}

interface CalldataTags extends Tags {
  behindCall: ReadonlyMap<string, readonly Uint8Array[]>;
}

function readTags(input: string): CalldataTags {
  const tags = findTags(input);
  const behindCall = new Map<string, Uint8Array[]>();
  for (const { to, amountUnits, reference } of tags.bound) {
    append(behindCall, keyOf(to, amountUnits), reference);
  }
  return { ...tags, behindCall };
}

function claimedIn(tags: CalldataTags, { token, to, amountUnits }: Movement): readonly Uint8Array[] {
  return token === null ? tags.loose : (tags.behindCall.get(keyOf(to, amountUnits)) ?? []);
}

function unprovenIn(tags: CalldataTags, { to, amountUnits }: Movement, proven: ReadonlySet<string>): Uint8Array[] {
  const found = new Map<string, Uint8Array>();
  const candidates = [
    ...(tags.behindCall.get(keyOf(to, amountUnits)) ?? []).slice(0, MAX_CANDIDATES),
    ...tags.bound.slice(0, MAX_CANDIDATES).map((tag) => tag.reference),
    ...tags.loose,
  ];
  for (const reference of candidates) {
    if (found.size === MAX_UNPROVEN) break;
    if (!proven.has(hex(reference))) found.set(hex(reference), reference);
  }
  return [...found.values()];
}

/** The tags of each debited account: from the transaction that it sent, or the operations that it signed. */
function authoredTags(movements: readonly Movement[], { transaction, receipt }: Evidence): Map<string, CalldataTags[]> {
  if (!isBundle(transaction)) return new Map([[transaction.from, [readTags(transaction.input)]]]);
  const payers = new Set(movements.map((movement) => movement.from));
  const operations = executedOperations(transaction, receipt).filter(
    (operation) => payers.has(operation.sender) && mayHoldTag(operation.callData),
  );
  const bySender = Map.groupBy(operations, (operation) => operation.sender);
  return new Map([...bySender].map(([sender, own]) => [sender, own.map((operation) => readTags(operation.callData))]));
}

function byAuthor(
  movement: Movement,
  twins: readonly Movement[],
  authored: readonly CalldataTags[],
  isAlone: boolean,
): readonly Uint8Array[] {
  const { to, amountUnits } = movement;
  const own = shareOf(
    movement,
    twins,
    authored.flatMap((tags) => tags.behindCall.get(keyOf(to, amountUnits)) ?? []),
  );
  // A loose tag is unambiguous only if there is a single transfer.
  return !isAlone
    ? own
    : [
        ...own,
        ...authored.flatMap((tags) => [
          ...tags.bound.filter((tag) => tag.to !== to || tag.amountUnits !== amountUnits).map((tag) => tag.reference),
          ...tags.loose,
        ]),
      ];
}

/**
 * The references of executed calls, by caller, token, recipient and amount, or by native payer, recipient and value.
 */
function executedReferences(calls: readonly TaggedCall[]): Map<string, Uint8Array[]> {
  const references = new Map<string, Uint8Array[]>();
  for (const call of calls) {
    const {
      bound: [transfer],
      loose: [leading],
    } = findTags(call.input);
    if (transfer)
      append(references, callKey(call.from, call.to, transfer.to, transfer.amountUnits), transfer.reference);
    else if (leading) append(references, callKey(call.from, null, call.to, call.valueWei), leading);
  }
  return references;
}

function byCall(
  movement: Movement,
  twins: readonly Movement[],
  executed: ReadonlyMap<string, readonly Uint8Array[]>,
): readonly Uint8Array[] {
  const { from, token, to, amountUnits } = movement;
  return shareOf(
    movement,
    twins.filter((other) => other.token === token),
    executed.get(callKey(from as string, token, to, amountUnits)) ?? [],
  );
}

/**
 * Equal transfers share their references in order. With more references than transfers each gets all, and attribution
 * decides.
 */
function shareOf(
  movement: Movement,
  twins: readonly Movement[],
  references: readonly Uint8Array[],
): readonly Uint8Array[] {
  const place = twins.indexOf(movement);
  return references.length > twins.length ? references : references.slice(place, place + 1);
}

function keyOf(to: string, amountUnits: bigint): string {
  return `${to} ${amountUnits}`;
}

function callKey(from: string, token: string | null, to: string, amountUnits: bigint): string {
  return `${from} ${token ?? 'native'} ${keyOf(to, amountUnits)}`;
}

function append(lists: Map<string, Uint8Array[]>, key: string, reference: Uint8Array): void {
  const known = lists.get(key);
  if (known) known.push(reference);
  else lists.set(key, [reference]);
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
