import { expect, test } from 'vitest';
import { caip2, caip10, caip19 } from './caip.ts';

const main = { chainId: null, genesisHash: null, tokens: {} };

test.each([
  ['ethereum', 'eip155:1'],
  ['base', 'eip155:8453'],
  ['polygon', 'eip155:137'],
  ['arbitrum', 'eip155:42161'],
  ['solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
] as const)('%s is %s in CAIP-2', (network, name) => {
  expect(caip2(network, main)).toBe(name);
});

test.each([
  ['ETH', 'ethereum', 'eip155:1/slip44:60'],
  ['USDC', 'base', 'eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  ['USDT', 'ethereum', 'eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  ['SOL', 'solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501'],
  ['USDC', 'solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
] as const)('%s on %s is %s in CAIP-19', (asset, network, name) => {
  expect(caip19(asset, network, main)).toBe(name);
});

test('an address carries its network in CAIP-10', () => {
  expect(caip10('0x52908400098527886E0F7030069857D2E4169EE7', 'base', main)).toBe(
    'eip155:8453:0x52908400098527886E0F7030069857D2E4169EE7',
  );
});

test('a test chain is named by its own chain id, genesis hash and tokens', () => {
  const token = '0x52908400098527886E0F7030069857D2E4169EE7';
  expect(caip19('USDC', 'ethereum', { ...main, chainId: 31337, tokens: { USDC: token } })).toBe(
    `eip155:31337/erc20:${token}`,
  );
  expect(caip2('solana', { ...main, genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' })).toBe(
    'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  );
});
