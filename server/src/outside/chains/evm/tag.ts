import { invariant } from '../../../platform/errors.ts';

// "QTNC" in ASCII: what a tag begins with.
const MAGIC = '51544e43';
const TRANSFER_SELECTOR = 'a9059cbb';
const REFERENCE_BYTES = 16;

// Selector, recipient and amount: what stands right before a tag that belongs to one transfer.
const CALL_HEX_LENGTH = 8 + 64 + 64;
// A transaction with more is not a payment. Tags behind a call need no limit: the calldata's length bounds them.
const MAX_LOOSE_TAGS = 64;

/** The 20 bytes that a connected wallet appends to a transfer: four fixed ones and the reference's first 16. */
export function buildTag(reference: Uint8Array): Uint8Array {
  invariant(reference.length >= REFERENCE_BYTES, 'a reference has at least 16 bytes');
  return Buffer.concat([Buffer.from(MAGIC, 'hex'), reference.subarray(0, REFERENCE_BYTES)]);
}

/** Tags in calldata. Bound ones stand right behind the call of one transfer; loose ones stand anywhere else. */
export interface Tags {
  bound: { to: string; amountUnits: bigint; reference: Uint8Array }[];
  loose: Uint8Array[];
}

/** Finds every tag in a transaction's input (lower-case hex), wherever a smart wallet put it. */
export function findTags(input: string): Tags {
  const tags: Tags = { bound: [], loose: [] };
  for (let at = input.indexOf(MAGIC); at !== -1; at = input.indexOf(MAGIC, at + 1)) {
    const end = at + MAGIC.length + REFERENCE_BYTES * 2;
    // Half a byte off is no tag but a coincidence of digits.
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

/** A quick look, before anything is decoded. */
export function mayHoldTag(input: string): boolean {
  return input.includes(MAGIC);
}

/** As much of a call's data as a tag behind a transfer, or a tag alone, takes; undefined where it begins with neither. */
export function taggedHead(input: string): string | undefined {
  const head = input.slice(0, 2 + CALL_HEX_LENGTH + MAGIC.length + REFERENCE_BYTES * 2);
  const isTagged =
    head.startsWith(`0x${MAGIC}`) ||
    (head.startsWith(`0x${TRANSFER_SELECTOR}`) && head.startsWith(MAGIC, 2 + CALL_HEX_LENGTH));
  return isTagged ? head.toLowerCase() : undefined;
}
