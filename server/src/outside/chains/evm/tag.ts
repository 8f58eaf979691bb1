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

/**
 * Which references belong to which transfer of one transaction. A bound tag belongs to the transfer with its recipient
 * and amount, the n-th tag to the n-th such transfer; a loose one only to a transfer that stands alone, and whose payer
 * sent the transaction: who passes on what somebody else has signed writes into it what he likes.
 */
export function carriedBy(transfers: readonly { from: string | null; to: string; amountUnits: bigint }[], transaction: { from: string; input: string }): Uint8Array[][] {
  if (transfers.length === 0) return [];
  const tags = findTags(transaction.input);
  const key = (to: string, amountUnits: bigint) => `${to.toLowerCase()} ${amountUnits}`;
  const bound = Map.groupBy(tags.bound, (tag) => key(tag.to, tag.amountUnits));
  const alike = Map.groupBy(transfers, (transfer) => key(transfer.to, transfer.amountUnits));

  return transfers.map((transfer) => {
    const id = key(transfer.to, transfer.amountUnits);
    const tagsOfCall = bound.get(id)?.map((tag) => tag.reference) ?? [];
    const twins = alike.get(id) ?? [];
    // More tags than transfers: somebody wrote a call that never ran. All are told; the rules decide.
    const own = tagsOfCall.length > twins.length ? tagsOfCall : tagsOfCall.slice(twins.indexOf(transfer), twins.indexOf(transfer) + 1);
    const isAlone = transfers.length === 1 && transfer.from?.toLowerCase() === transaction.from.toLowerCase();
    const alone = isAlone ? [...tags.bound.filter((tag) => key(tag.to, tag.amountUnits) !== id).map((tag) => tag.reference), ...tags.loose] : [];
    return distinct([...own, ...alone]);
  });
}

function distinct(references: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(references.map((reference) => [Buffer.from(reference).toString('hex'), reference])).values()];
}
