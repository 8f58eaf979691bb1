import { NETWORKS } from '@quittance/contract';
import { expect, test } from 'vitest';
import { machineAsset } from './machine-networks.ts';

const main = { chainId: null, genesisHash: null, tokens: {} };
const testTokenOf = (...[asset, network]: [Parameters<typeof machineAsset>[1], 'solana' | 'ethereum' | 'polygon']) => {
  const machine = machineAsset(network, asset, false, main);
  return machine && (machine.family === 'evm' ? machine.token : machine.mint);
};

test('in test mode, a program is asked for the coin of the session, or for none where its issuer has no test coin', () => {
  expect(testTokenOf('USDC', 'solana')).toBe(NETWORKS.solana.assets.USDC.testAddress);
  expect(testTokenOf('SOL', 'solana')).toBeNull();
  expect(testTokenOf('EURC', 'ethereum')).toBe(NETWORKS.ethereum.assets.EURC.testAddress);
  for (const [asset, network] of [
    ['USDT', 'solana'],
    ['EURC', 'solana'],
    ['USDT', 'polygon'],
  ] as const)
    expect(testTokenOf(asset, network)).toBeUndefined();
});
