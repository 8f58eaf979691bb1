const REFERENCE_BYTES = 16;

/** The selector of `transferWithMemo(address,uint256,bytes32)`, which tokens of Tempo have (TIP-20). */
export const TRANSFER_WITH_MEMO = '95777d59';

/**
 * The memo of a payment: the first half of its reference in hex, which is 32 characters. As text it fills the 32 bytes of
 * a memo, so that it is the same where a wallet takes text and where it takes bytes.
 */
export function memoOf(reference: Uint8Array): string {
  return Buffer.from(reference.subarray(0, REFERENCE_BYTES)).toString('hex');
}

/** The bytes of a memo, as the token takes them. */
export function memoBytes(memo: string): `0x${string}` {
  return `0x${Buffer.from(memo, 'utf8').toString('hex')}`;
}

/** The reference in the bytes of a memo. One that is not of this service may be a whole reference. */
export function readMemo(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  return /^[0-9a-f]{32}$/i.test(text) ? Buffer.from(text, 'hex') : bytes;
}
