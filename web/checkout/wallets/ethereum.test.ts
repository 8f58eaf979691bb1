import { expect, test } from 'vitest';
import type { EthereumProvider } from '../../wallets/announced.ts';
import type { PublicSession } from '../page-state.ts';
import { payByEthereum } from './ethereum.ts';

const ACCOUNT = `0x${'a1'.repeat(20)}`;
const ADDRESS = `0x${'b2'.repeat(20)}`;
const payment = { network: 'ethereum', asset: 'ETH', amount: '0.000000000000000001', address: ADDRESS };
const session = {
  id: 'cs_1',
  payment: { ...payment, uri: `ethereum:${ADDRESS}@1?value=1`, tag: null, identified_by: 'amount' },
} as unknown as PublicSession;

/** Pays with a wallet that batches, has enough, and takes calls with this answer; `other` are answers of another wallet. */
async function pay(taken: unknown, look: () => unknown, other: Record<string, () => unknown> = {}) {
  const asked: string[] = [];
  const sent: unknown[] = [];
  const answers: Record<string, () => unknown> = {
    eth_requestAccounts: () => [ACCOUNT],
    eth_chainId: () => '0x1',
    eth_getBalance: () => '0xffffff',
    eth_estimateGas: () => '0x1',
    eth_gasPrice: () => '0x1',
    wallet_getCapabilities: () => ({ '0x1': { atomic: { status: 'supported' } } }),
    wallet_sendCalls: () => taken,
    wallet_getCallsStatus: look,
    eth_sendTransaction: () => '0x2',
    ...other,
  };
  const provider = {
    async request({ method, params }: { method: string; params: unknown[] }) {
      asked.push(method);
      if (method === 'eth_sendTransaction') sent.push(...params);
      return answers[method]?.();
    },
  } as EthereumProvider;
  const guide = { report: () => undefined, check: async () => undefined, taken: () => asked.push('taken') };
  const hash = await payByEthereum(provider, session, guide).catch((error) => error);
  return { hash, asked, sent };
}

const refuse = (code: number) => () => {
  throw Object.assign(new Error('no'), { code });
};

test('calls that the wallet has taken count as sent, also if it never says what became of them', async () => {
  expect((await pay({ id: '0x1' }, refuse(-32601))).hash).toBeNull();
});

test('a wallet that has taken calls without a name for them is not asked to pay once more', async () => {
  const { hash, asked } = await pay({}, refuse(4200));
  expect(hash).toBeNull();
  expect(asked).not.toContain('eth_sendTransaction');
});

test('calls that the wallet did not carry out were not sent', async () => {
  expect((await pay({ id: '0x1' }, () => ({ status: 400 }))).hash).toMatchObject({ key: 'wallet_failed' });
});

test('a transaction names its network', async () => {
  const { hash, sent } = await pay(null, () => null, { wallet_getCapabilities: () => ({}) });
  expect(hash).toBe('0x2');
  expect(sent).toEqual([{ from: ACCOUNT, to: ADDRESS, data: '0x', value: '0x1', chainId: '0x1' }]);
});

test('a wallet that was switched to another network after the look at its funds is asked for no transaction', async () => {
  let chain = '0x1';
  const { hash, sent } = await pay(null, () => null, {
    eth_chainId: () => chain,
    wallet_getCapabilities() {
      chain = '0x38';
      return {};
    },
  });
  expect(hash).toMatchObject({ key: 'wallet_wrong_network', values: { network: 'Ethereum' } });
  expect(sent).toEqual([]);
});
