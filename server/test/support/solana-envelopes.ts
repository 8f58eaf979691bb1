import { base58 } from '@scure/base';

const bytes = (text: string) => new TextEncoder().encode(text);
const DOMAIN = Uint8Array.of(0xff, ...bytes('solana offchain'));

/** What wallets on hardware sign in place of a bare text, by the layout of its envelope. `format`: 0 ASCII, 1 UTF-8. */
export const SOLANA_ENVELOPES: Record<string, (text: string, address: string, format?: 0 | 1) => Uint8Array> = {
  'version 0': (text, address, format = 0) =>
    Uint8Array.of(...DOMAIN, 0, ...new Uint8Array(32), format, 1, ...base58.decode(address), ...counted(text)),
  'version 0 of older devices': (text, _address, format = 0) => Uint8Array.of(...DOMAIN, 0, format, ...counted(text)),
  'version 1': (text, address) => Uint8Array.of(...DOMAIN, 1, 1, ...base58.decode(address), ...bytes(text)),
};

function counted(text: string): Uint8Array {
  const message = bytes(text);
  return Uint8Array.of(message.length & 0xff, message.length >> 8, ...message);
}
