import { expect, test } from 'vitest';
import { TOKEN_CONTRACTS } from '../../outside/routers/token-contracts.ts';
import { KNOWN_CONTRACTS, KNOWN_PROGRAMS, KNOWN_TRON_ADDRESSES } from './known-addresses.ts';

test.each(Object.entries(TOKEN_CONTRACTS))('the contract of %s is known not to be a wallet: %s', (key, contract) => {
  const known = key.endsWith('_SOLANA')
    ? KNOWN_PROGRAMS
    : key.endsWith('_TRON')
      ? KNOWN_TRON_ADDRESSES
      : KNOWN_CONTRACTS;
  expect(known).toContain(contract);
});
