import { type ChainFamily, NETWORK_SLUGS, NETWORKS, type Network } from '@quittance/contract';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check, hex } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { validateAddress } from './validate-address.ts';

const checksummed = '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e';
const solanaWallet = base58.encode(ed25519.getPublicKey(new Uint8Array(32).fill(7)));
const base58check = createBase58check(sha256);

describe('a right address is answered in the one form it is kept in', () => {
  test.each<[Network, string, string]>([
    ...(['ethereum', 'base', 'polygon', 'arbitrum', 'bnb', 'avalanche'] as const).flatMap(
      (network): [Network, string, string][] => [
        [network, checksummed, checksummed],
        [network, checksummed.toLowerCase(), checksummed],
        [network, `0x${checksummed.slice(2).toUpperCase()}`, checksummed],
      ],
    ),
    ['solana', solanaWallet, solanaWallet],
    ['bitcoin', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
    ['bitcoin', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
    ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['bitcoin', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    [
      'bitcoin',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    ],
    ['tron', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
  ])('%s %s', (network, text, address) => expect(validateAddress(network, text)).toEqual({ ok: true, address }));
});

describe('text that is not an address of the network is rejected', () => {
  const nowhere = [
    '',
    ' ',
    '0x',
    'wallet',
    '\u0000',
    `${checksummed} `,
    ` ${checksummed}`,
    `${checksummed}\n`,
    '0'.repeat(5000),
  ];
  const perFamily: Record<ChainFamily, string[]> = {
    evm: [
      checksummed.slice(2),
      checksummed.slice(0, -1),
      `${checksummed}0`,
      checksummed.replace('0x', '0X'),
      `0x${'g'.repeat(40)}`,
      checksummed.replace('A0', 'a0'),
      checksummed.replace('251e', '251E'),
      checksummed.replace('251e', '251f'),
      solanaWallet,
      'vitalik.eth',
    ],
    solana: [
      checksummed,
      `${solanaWallet}1`,
      solanaWallet.replace(/^./, '0'),
      `${solanaWallet.slice(0, -1)}l`,
      base58.encode(new Uint8Array(31).fill(9)),
      base58.encode(new Uint8Array(33).fill(9)),
      base58.encode(new Uint8Array(64).fill(9)),
      'bonfida.sol',
    ],
    bitcoin: [
      'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
      '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc',
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
      'bc1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      checksummed,
    ],
    tron: [
      'TJRabPrwbZy45sbavfcjinPJC18kjpRTv9',
      'tJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
      '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
      base58check.encode(Uint8Array.of(0x42, ...new Uint8Array(20).fill(1))),
      base58check.encode(Uint8Array.of(0x41, ...new Uint8Array(19).fill(1))),
      solanaWallet,
    ],
  };
  for (const network of NETWORK_SLUGS) {
    test.each([...nowhere, ...perFamily[NETWORKS[network].family]])(`${network} %j`, (text) => {
      expect(validateAddress(network, text)).toEqual({ ok: false, why: expect.stringMatching(/\.$/) });
      // A merchant reads it: they send no money here, and know neither hex nor bytes.
      expect(validateAddress(network, text)).not.toMatchObject({ why: expect.stringMatching(/send|hex|base58|byte/i) });
    });
  }
});

test('a recovery phrase is named as one, on every network', () => {
  const phrase = 'abandon ability able about above absent absorb abstract absurd abuse access accident';
  for (const network of NETWORK_SLUGS)
    expect(validateAddress(network, phrase)).toEqual({ ok: false, why: expect.stringMatching(/recovery phrase/) });
});

describe('an address that no one can spend from is rejected', () => {
  test.each<[Network, string]>([
    ['ethereum', `0x${'0'.repeat(40)}`],
    ['base', '0x0000000000000000000000000000000000000001'],
    ['base', '0x00000000000000000000000000000000000001ff'],
    ['polygon', '0x0000000000000000000000000000000000001010'],
    ['ethereum', '0x000000000000000000000000000000000000dEaD'],
    ['ethereum', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['base', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    ['base', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
    ['ethereum', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'],
    ['solana', '11111111111111111111111111111111'],
    ['solana', 'So11111111111111111111111111111111111111112'],
    ['solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
    ['solana', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
    ['solana', 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'],
    ['solana', 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'],
    ['solana', 'ComputeBudget111111111111111111111111111111'],
    ['solana', 'SysvarRent111111111111111111111111111111111'],
    ['solana', '1nc1nerator11111111111111111111111111111111'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ])('%s %s', (network, text) => expect(validateAddress(network, text)).toMatchObject({ ok: false }));

  test('a token of a test chain counts as one', () => {
    expect(validateAddress('base', checksummed, [checksummed.toLowerCase()])).toMatchObject({ ok: false });
    expect(validateAddress('solana', solanaWallet, [solanaWallet])).toMatchObject({ ok: false });
  });
});

describe('a Solana address', () => {
  test.each(smallOrderKeys())('that anyone could sign for is rejected: %s', (key) =>
    expect(validateAddress('solana', base58.encode(hex.decode(key)))).toMatchObject({ ok: false }),
  );

  test('off the curve is taken, as the vaults of multisignature programs are', () => {
    const verdicts = Array.from(
      { length: 200 },
      (_, index) => validateAddress('solana', base58.encode(sha256(Uint8Array.of(index)))).ok,
    );
    expect(verdicts).not.toContain(false);
  });
});

/** The eight points of small order, and those of their encodings that only a lenient reader accepts. */
function smallOrderKeys(): string[] {
  return [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    '0100000000000000000000000000000000000000000000000000000000000080',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  ];
}
