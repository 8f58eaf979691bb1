import { invariant } from '../../../platform/errors.ts';
import { readMemo, TRANSFER_WITH_MEMO } from '../pure/memo.ts';

// "QTNC" in ASCII, the prefix of a tag.
const MAGIC = '51544e43';
const TRANSFER_SELECTOR = 'a9059cbb';
const REFERENCE_BYTES = 16;

// Selector, recipient and amount: the data right before a tag that is bound to a transfer, and before a memo.
const CALL_HEX_LENGTH = 8 + 64 + 64;
const MEMO_HEX_LENGTH = 64;
// A transaction with more is not a payment. Tags behind a call need no limit: the calldata's length bounds them.
const MAX_LOOSE_TAGS = 64;

/**
 * The 20 bytes that a connected wallet appends to a transfer: a fixed 4-byte prefix and the reference's first 16 bytes.
 */
export function buildTag(reference: Uint8Array): Uint8Array {
  invariant(reference.length >= REFERENCE_BYTES, 'a reference has at least 16 bytes');
  return Buffer.concat([Buffer.from(MAGIC, 'hex'), reference.subarray(0, REFERENCE_BYTES)]);
}

/** Tags in calldata. A bound tag directly follows the call of one transfer, or is its memo; all others are loose. */
export interface Tags {
  bound: { to: string; amountUnits: bigint; reference: Uint8Array }[];
  loose: Uint8Array[];
}

/** Finds every tag in a transaction's input (lowercase hex), regardless of how a smart wallet wrapped it. */
export function findTags(input: string): Tags {
  const tags: Tags = { bound: [], loose: [] };
  for (const at of placesOf(MAGIC, input)) {
    const end = at + MAGIC.length + REFERENCE_BYTES * 2;
    if (end > input.length) continue;
    const reference = Buffer.from(input.slice(at + MAGIC.length, end), 'hex');
    const call = at - CALL_HEX_LENGTH;
    if (call >= 2 && input.startsWith(TRANSFER_SELECTOR, call) && hasRecipient(input, call))
      tags.bound.push({ ...transferAt(input, call), reference });
    else if (tags.loose.length < MAX_LOOSE_TAGS) tags.loose.push(reference);
  }
  for (const at of placesOf(TRANSFER_WITH_MEMO, input)) {
    const memo = at + CALL_HEX_LENGTH;
    if (memo + MEMO_HEX_LENGTH > input.length || !hasRecipient(input, at)) continue;
    const bytes = Buffer.from(input.slice(memo, memo + MEMO_HEX_LENGTH), 'hex');
    tags.bound.push({ ...transferAt(input, at), reference: readMemo(bytes) });
  }
  return tags;
}

/** A match at half a byte is a coincidence. */
function* placesOf(mark: string, input: string): Generator<number> {
  for (let at = input.indexOf(mark); at !== -1; at = input.indexOf(mark, at + 1)) if (at % 2 === 0) yield at;
}

function hasRecipient(input: string, call: number): boolean {
  return input.startsWith('0'.repeat(24), call + 8);
}

function transferAt(input: string, call: number): { to: string; amountUnits: bigint } {
  const recipient = call + 8 + 24;
  return {
    to: `0x${input.slice(recipient, recipient + 40)}`,
    amountUnits: BigInt(`0x${input.slice(recipient + 40, recipient + 104)}`),
  };
}

/** A quick check before decoding. */
export function mayHoldTag(input: string): boolean {
  return input.includes(MAGIC) || input.includes(TRANSFER_WITH_MEMO);
}

/** The part of a call's data that holds a transfer and a tag, a leading tag, or a memo; undefined if it begins with none. */
export function taggedHead(input: string): string | undefined {
  if (input.startsWith(TRANSFER_WITH_MEMO, 2))
    return input.slice(0, 2 + CALL_HEX_LENGTH + MEMO_HEX_LENGTH).toLowerCase();
  const head = input.slice(0, 2 + CALL_HEX_LENGTH + MAGIC.length + REFERENCE_BYTES * 2);
  const isTagged =
    head.startsWith(`0x${MAGIC}`) ||
    (head.startsWith(`0x${TRANSFER_SELECTOR}`) && head.startsWith(MAGIC, 2 + CALL_HEX_LENGTH));
  return isTagged ? head.toLowerCase() : undefined;
}
