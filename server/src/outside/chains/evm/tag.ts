import { invariant } from '../../../platform/errors.ts';

// "QTNC" in ASCII: what a tag begins with.
const MAGIC = '51544e43';
const TRANSFER_SELECTOR = 'a9059cbb';
const REFERENCE_BYTES = 16;

// Selector, recipient and amount: what stands right before a tag that belongs to one transfer.
const CALL_HEX_LENGTH = 8 + 64 + 64;
// A bundle with more is no payment; reading on would only be work.
const TAGS_MOST = 64;

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
    } else {
      tags.loose.push(reference);
    }
    if (tags.bound.length + tags.loose.length >= TAGS_MOST) break;
  }
  return tags;
}

/** The references that stand right behind a call of `transfer` with this recipient and amount, in their order. */
export function referencesBehindCall(input: string, to: string, amountUnits: bigint): Uint8Array[] {
  const call = `${TRANSFER_SELECTOR}${to.slice(2).padStart(64, '0')}${amountUnits.toString(16).padStart(64, '0')}${MAGIC}`;
  const found: Uint8Array[] = [];
  for (let at = input.indexOf(call); at !== -1 && found.length < TAGS_MOST; at = input.indexOf(call, at + 1)) {
    const reference = input.slice(at + call.length, at + call.length + REFERENCE_BYTES * 2);
    if (at % 2 === 0 && reference.length === REFERENCE_BYTES * 2) found.push(Buffer.from(reference, 'hex'));
  }
  return found;
}

/** The reference that a call's data begins with, as a transfer of the native coin carries it. */
export function leadingReference(input: string): Uint8Array | undefined {
  const end = 2 + MAGIC.length + REFERENCE_BYTES * 2;
  return input.startsWith(`0x${MAGIC}`) && input.length >= end ? Buffer.from(input.slice(2 + MAGIC.length, end), 'hex') : undefined;
}

/** A quick look, before anything is decoded. */
export function mayHoldTag(input: string): boolean {
  return input.includes(MAGIC);
}

/** As much of a call's data as a tag behind a transfer, or a tag alone, takes; undefined where it begins with neither. */
export function taggedHead(input: string): string | undefined {
  const head = input.slice(0, 2 + CALL_HEX_LENGTH + MAGIC.length + REFERENCE_BYTES * 2);
  const isTagged = head.startsWith(`0x${MAGIC}`) || (head.startsWith(`0x${TRANSFER_SELECTOR}`) && head.startsWith(MAGIC, 2 + CALL_HEX_LENGTH));
  return isTagged ? head.toLowerCase() : undefined;
}
