import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base58, base64, base64nopad, hex } from '@scure/base';
import { Trx, TronWeb } from 'tronweb';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { SOLANA_ENVELOPES } from '../../../test/support/solana-envelopes.ts';
import { isSignedByEthereumKey, isSignedBySolanaKey, recoverTronSigner } from './wallet-signature.ts';

const message = 'pay.example.com wants you to sign in with your Ethereum account:\n…';

describe('an Ethereum signature is accepted in every form that wallets send', () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const signed = (signature: string, address: string = wallet.address) =>
    isSignedByEthereumKey({ message, address, signature });
  const parts = async () => {
    const signature = await wallet.signMessage({ message });
    return {
      r: signature.slice(2, 66),
      s: signature.slice(66, 130),
      parity: Number.parseInt(signature.slice(130), 16) - 27,
    };
  };

  test('65 bytes with v of 27 and 28, and of 0 and 1', async () => {
    const { r, s, parity } = await parts();
    expect(await signed(`0x${r}${s}${(27 + parity).toString(16)}`)).toBe(true);
    expect(await signed(`0x${r}${s}0${parity}`)).toBe(true);
    expect(await signed(`${r}${s}0${parity}`.toUpperCase())).toBe(true);
  });

  test('64 bytes with the parity in the highest bit of s', async () => {
    const { r, s, parity } = await parts();
    const first = (Number.parseInt(s.slice(0, 2), 16) | (parity << 7)).toString(16).padStart(2, '0');
    expect(await signed(`0x${r}${first}${s.slice(2)}`)).toBe(true);
  });

  test('the address is compared case-insensitively', async () => {
    expect(await signed(await wallet.signMessage({ message }), wallet.address.toLowerCase())).toBe(true);
  });

  test('another wallet, another text, the other parity, a high s and other lengths are rejected', async () => {
    const { r, s, parity } = await parts();
    const highS = (secp256k1.Point.CURVE().n - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
    const stranger = privateKeyToAccount(generatePrivateKey());
    const refused = [
      await stranger.signMessage({ message }),
      await wallet.signMessage({ message: `${message} ` }),
      `0x${r}${s}0${1 - parity}`,
      `0x${r}${highS}0${1 - parity}`,
      `0x${r}${s}02`,
      `0x${r}${s}1d`,
      `0x${r}${s}`.slice(0, -2),
      `0x${r}${s}1b00`,
      '',
      '0x',
      'zz'.repeat(65),
      `0x${'0'.repeat(130)}`,
      `0x${'f'.repeat(130)}`,
      `0x${r}${'0'.repeat(64)}1b`,
      `0x${'0'.repeat(64)}${s}1b`,
    ];
    for (const signature of refused) expect(await signed(signature), signature).toBe(false);
  });
});

describe('a Solana signature is accepted in every form that wallets send', () => {
  const secret = ed25519.utils.randomSecretKey();
  const address = base58.encode(ed25519.getPublicKey(secret));
  const signature = ed25519.sign(new TextEncoder().encode(message), secret);

  test.each([
    ['base58', base58.encode(signature)],
    ['base64', base64.encode(signature)],
    ['base64 without padding', base64nopad.encode(signature)],
    ['hex', hex.encode(signature)],
    ['hex with 0x', `0x${hex.encode(signature).toUpperCase()}`],
  ])('%s', (_form, text) => expect(isSignedBySolanaKey({ message, address, signature: text })).toBe(true));

  test('a changed byte, another text, another wallet and other lengths are rejected', () => {
    const stranger = base58.encode(ed25519.getPublicKey(ed25519.utils.randomSecretKey()));
    const changed = Uint8Array.from(signature, (byte, index) => (index === 10 ? byte ^ 1 : byte));
    expect(isSignedBySolanaKey({ message, address, signature: base58.encode(changed) })).toBe(false);
    expect(isSignedBySolanaKey({ message: `${message} `, address, signature: base58.encode(signature) })).toBe(false);
    expect(isSignedBySolanaKey({ message, address: stranger, signature: base58.encode(signature) })).toBe(false);
    for (const text of [
      '',
      '0x',
      base58.encode(signature.slice(1)),
      hex.encode(signature).slice(2),
      '1'.repeat(64),
      'a'.repeat(100_000),
    ]) {
      expect(isSignedBySolanaKey({ message, address, signature: text })).toBe(false);
    }
  });
});

describe.each(Object.entries(SOLANA_ENVELOPES))(
  'a Solana signature of the off-chain envelope, %s',
  (_name, envelope) => {
    const secret = ed25519.utils.randomSecretKey();
    const address = base58.encode(ed25519.getPublicKey(secret));
    const signed = (bytes: Uint8Array) =>
      isSignedBySolanaKey({ message, address, signature: base58.encode(ed25519.sign(bytes, secret)) });

    test('is accepted around the text, as ASCII and as UTF-8', () => {
      expect(signed(envelope(message, address, 0))).toBe(true);
      expect(signed(envelope(message, address, 1))).toBe(true);
    });

    test('is accepted around a text longer than a byte can count', () => {
      const long = `${message}${'x'.repeat(700)}`;
      const signature = base58.encode(ed25519.sign(envelope(long, address), secret));
      expect(isSignedBySolanaKey({ message: long, address, signature })).toBe(true);
    });

    test('is rejected around another text, with more behind it, cut off, or for another wallet', () => {
      const whole = envelope(message, address);
      for (const bytes of [
        envelope(`${message} `, address),
        envelope(message.slice(1), address),
        Uint8Array.of(...whole, 0),
        whole.slice(0, -1),
        whole.slice(1),
        Uint8Array.from(whole, (byte, index) => (index === 16 ? 2 : byte)),
      ])
        expect(signed(bytes)).toBe(false);
      const stranger = ed25519.utils.randomSecretKey();
      const signature = base58.encode(ed25519.sign(whole, stranger));
      expect(isSignedBySolanaKey({ message, address, signature })).toBe(false);
    });
  },
);

test('an envelope that lists another signer is rejected', () => {
  const secret = ed25519.utils.randomSecretKey();
  const address = base58.encode(ed25519.getPublicKey(secret));
  const stranger = base58.encode(ed25519.getPublicKey(ed25519.utils.randomSecretKey()));
  for (const name of ['version 0', 'version 1']) {
    const bytes = SOLANA_ENVELOPES[name]?.(message, stranger) as Uint8Array;
    expect(isSignedBySolanaKey({ message, address, signature: base58.encode(ed25519.sign(bytes, secret)) })).toBe(
      false,
    );
  }
});

test('with a key of small order every signature is rejected, for any text', () => {
  // R is the neutral element and S is zero: a lenient verifier accepts this as a signature of every text by these keys.
  const forged = hex.encode(Uint8Array.of(1, ...new Uint8Array(63)));
  const keys = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ];
  for (const key of keys) {
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    // Proves that a lenient verifier accepts the forgery.
    expect(
      texts.some((text) =>
        ed25519.verify(hex.decode(forged), new TextEncoder().encode(text), hex.decode(key), { zip215: true }),
      ),
    ).toBe(true);
    for (const text of texts) {
      expect(
        ed25519.verify(hex.decode(forged), new TextEncoder().encode(text), hex.decode(key), { zip215: false }),
      ).toBe(false);
      expect(isSignedBySolanaKey({ message: text, address: base58.encode(hex.decode(key)), signature: forged })).toBe(
        false,
      );
    }
  }
});

test("40 texts signed by tronweb are their signers', and no other text or signature is", async () => {
  for (let at = 0; at < 40; at += 1) {
    const key = generatePrivateKey();
    const message = `Zahlung ${at} für Żółw ${'₮'.repeat(at % 7)}`;
    const signature = Trx.signMessageV2(message, key.slice(2));
    const address = TronWeb.address.fromPrivateKey(key.slice(2));
    expect(await recoverTronSigner({ message, signature })).toBe(address);
    expect(await recoverTronSigner({ message: `${message} `, signature })).not.toBe(address);
  }
  for (const signature of ['', '0x', `0x${'ff'.repeat(65)}`, 'T'.repeat(130), `0x${'11'.repeat(64)}05`])
    expect(await recoverTronSigner({ message: 'x', signature })).toBeUndefined();
});
