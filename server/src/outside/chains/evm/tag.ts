import { invariant } from '../../../platform/errors.ts';

// "QTNC" in ASCII, the prefix of a tag.
const MAGIC = '51544e43';
const TRANSFER_SELECTOR = 'a9059cbb';
const REFERENCE_BYTES = 16;

// Selector, recipient and amount: the data right before a tag that is bound to a transfer.
const CALL_HEX_LENGTH = 8 + 64 + 64;
// A transaction with more is not a payment. Tags behind a call need no limit: the calldata's length bounds them.
const MAX_LOOSE_TAGS = 64;

/**
 * The 20 bytes that a connected wallet appends to a transfer: a fixed 4-byte prefix and the reference's first 16 bytes.
 */
export function buildTag(reference: Uint8Array): Uint8Array {
  invariant(reference.length >= REFERENCE_BYTES, 'a reference has at least 16 bytes');
  return Buffer.concat([Buffer.from(MAGIC, 'hex'), reference.subarray(0, REFERENCE_BYTES)]);
}

/** Tags in calldata. A bound tag directly follows the call of one transfer; all others are loose. */
export interface Tags {
  bound: { to: string; amountUnits: bigint; reference: Uint8Array }[];
  loose: Uint8Array[];
}

/** Finds every tag in a transaction's input (lowercase hex), regardless of how a smart wallet wrapped it. */
export function findTags(input: string): Tags {
  const tags: Tags = { bound: [], loose: [] };
  for (let at = input.indexOf(MAGIC); at !== -1; at = input.indexOf(MAGIC, at + 1)) {
    const end = at + MAGIC.length + REFERENCE_BYTES * 2;
    // A match at half a byte is a coincidence, not a tag.
    if (at % 2 !== 0 || end > input.length) continue;
    const reference = Buffer.from(input.slice(at + MAGIC.length, end), 'hex');
    const call = at - CALL_HEX_LENGTH;
    const recipientPadding = call + 8;
    if (call >= 2 && input.startsWith(TRANSFER_SELECTOR, call) && input.startsWith('0'.repeat(24), recipientPadding)) {
      tags.bound.push({
        to: `0x${input.slice(recipientPadding + 24, recipientPadding + 64)}`,
        amountUnits: BigInt(`0x${input.slice(recipientPadding + 64, recipientPadding + 128)}`),
        reference,
      });
    } else if (tags.loose.length < MAX_LOOSE_TAGS) {
      tags.loose.push(reference);
    }
  }
  return tags;
}

/** A quick check before decoding. */
export function mayHoldTag(input: string): boolean {
  return input.includes(MAGIC);
}

/** The part of a call's data that holds a transfer and a tag, or a leading tag; undefined if it begins with neither. */
export function taggedHead(input: string): string | undefined {
  const head = input.slice(0, 2 + CALL_HEX_LENGTH + MAGIC.length + REFERENCE_BYTES * 2);
  const isTagged =
    head.startsWith(`0x${MAGIC}`) ||
    (head.startsWith(`0x${TRANSFER_SELECTOR}`) && head.startsWith(MAGIC, 2 + CALL_HEX_LENGTH));
  return isTagged ? head.toLowerCase() : undefined;
}
