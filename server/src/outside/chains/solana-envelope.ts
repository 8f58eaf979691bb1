const encode = (text: string) => new TextEncoder().encode(text);

/** No transaction begins with 255, so a signature of an envelope never is one of a transaction. */
const SIGNING_DOMAIN = Uint8Array.of(0xff, ...encode('solana offchain'));
/** Wallets leave it empty unless a page names one, and ours names itself in the text. */
const APPLICATION_DOMAIN = new Uint8Array(32);
const ASCII = 0;
const UTF8 = 1;
const LONG_UTF8 = 2;
/** The longest text of the first two formats, which devices can show. */
const MAX_SHORT_BYTES = 1_212;

/**
 * All that a Solana wallet may sign for this text: the bare text, or for wallets on hardware the text in an envelope of
 * off-chain messages (docs.anza.xyz/proposals/off-chain-message-signing). Rebuilt here, never read from the wallet.
 */
export function signableForms(text: string, key: Uint8Array): Uint8Array[] {
  const message = encode(text);
  const formats = message.length <= MAX_SHORT_BYTES ? [ASCII, UTF8] : [LONG_UTF8];
  const counted = [message.length & 0xff, message.length >> 8, ...message];
  return [
    message,
    // Version 0 as it was specified in the end, and as earlier devices and the Solana CLI have it.
    ...formats.map((format) =>
      Uint8Array.of(...SIGNING_DOMAIN, 0, ...APPLICATION_DOMAIN, format, 1, ...key, ...counted),
    ),
    ...formats.map((format) => Uint8Array.of(...SIGNING_DOMAIN, 0, format, ...counted)),
    // Version 1 (`solana:signOffchainMessage`), with a single signer.
    Uint8Array.of(...SIGNING_DOMAIN, 1, 1, ...key, ...message),
  ];
}
