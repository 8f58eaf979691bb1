import { expect, test } from 'vitest';
import type { EthereumProvider } from './announced.ts';
import { switchChain } from './ethereum.ts';

const BASE = 8453;

/** A wallet on Ethereum that knows these chains; it switches unless it only says so. */
function walletOn(known: number[], { isStubborn = false } = {}) {
  const asked: string[] = [];
  let current = 1;
  const provider: EthereumProvider = {
    async request({ method, params }) {
      asked.push(method);
      const wanted = Number((params as [{ chainId: string }] | undefined)?.[0].chainId);
      if (method === 'eth_chainId') return `0x${current.toString(16)}`;
      if (method === 'wallet_addEthereumChain') known.push(wanted);
      else if (!known.includes(wanted)) throw { code: 4902 };
      if (!isStubborn) current = wanted;
      return null;
    },
  };
  return { provider, asked };
}

test('a wallet that is there is asked nothing more', async () => {
  const { provider, asked } = walletOn([1]);
  expect(await switchChain(provider, 1)).toBe(true);
  expect(asked).toEqual(['eth_chainId']);
});

test('a wallet without the network gets it added, and one that only says so is not believed', async () => {
  const { provider, asked } = walletOn([1]);
  expect(await switchChain(provider, BASE)).toBe(true);
  expect(asked).toContain('wallet_addEthereumChain');
  expect(await switchChain(walletOn([1, BASE], { isStubborn: true }).provider, BASE)).toBe(false);
  expect(await switchChain(walletOn([1], { isStubborn: true }).provider, BASE)).toBe(false);
});

test('a chain that is not in the table is the wallet’s own error', async () => {
  await expect(switchChain(walletOn([1]).provider, 31_337)).rejects.toEqual({ code: 4902 });
});
