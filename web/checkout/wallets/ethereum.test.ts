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

/** Pays with a wallet that batches, has enough, and takes calls with this answer. */
async function pay(taken: unknown, look: () => unknown) {
  const asked: string[] = [];
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
  };
  const provider = {
    async request({ method }: { method: string }) {
      asked.push(method);
      return answers[method]?.();
    },
  } as EthereumProvider;
  const guide = { report: () => undefined, check: async () => undefined, taken: () => asked.push('taken') };
  return { hash: await payByEthereum(provider, session, guide), asked };
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
  await expect(pay({ id: '0x1' }, () => ({ status: 400 }))).rejects.toMatchObject({ key: 'wallet_failed' });
});
