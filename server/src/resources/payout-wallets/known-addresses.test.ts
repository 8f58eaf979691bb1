import { KNOWN_ASSETS, NETWORKS } from '@quittance/contract';
import { expect, test } from 'vitest';
import { KNOWN_CONTRACTS, KNOWN_PROGRAMS, KNOWN_TRON_ADDRESSES } from './known-addresses.ts';

const KNOWN = { evm: KNOWN_CONTRACTS, solana: KNOWN_PROGRAMS, tron: KNOWN_TRON_ADDRESSES, bitcoin: new Set() };

test.each(KNOWN_ASSETS.filter(({ address }) => address !== null))(
  'the contract of $key is known not to be a wallet, offered or not: $address',
  ({ network, address }) => {
    const { family } = NETWORKS[network];
    expect(KNOWN[family]).toContain(family === 'evm' ? address?.toLowerCase() : address);
  },
);
