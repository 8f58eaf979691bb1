import { afterEach, expect, test, vi } from 'vitest';
import type { Wallet } from '../../wallets/announced.ts';
import type { PublicSession } from '../page-state.ts';
import { payBySolana } from './solana.ts';

afterEach(() => vi.unstubAllGlobals());

const SIGNATURE = '4NewRi1USZuX5shBP7ETnDvFFTV1KJ5DPfMVDqQ3hdLL5ZgV6J4k4rqVvbEyJcHpBnKYgAGhBzp8VfQeKxceNV4p';
const TIMEOUT = `Transaction was not confirmed in 30.00 seconds. Check signature ${SIGNATURE} using the explorer.`;

/** Pays with a wallet that fails after the transaction was built. */
async function pay(error: object): Promise<string> {
  vi.stubGlobal('fetch', async () => Response.json({ data: { transaction: 'AA==' } }));
  const features = {
    'standard:connect': { connect: async () => ({ accounts: [{ address: 'So1' }] }) },
    'solana:signAndSendTransaction': { signAndSendTransaction: () => Promise.reject(error) },
  };
  const guide = { report: () => undefined, check: async () => undefined };
  return payBySolana({ features } as unknown as Wallet, { id: 'cs_1' } as PublicSession, guide);
}

test.each([
  ['in words', { message: TIMEOUT }],
  ['apart', { message: 'Expired.', signature: SIGNATURE }],
])('a transaction that the wallet has sent and lost counts as sent if its error names it %s', async (_, error) => {
  expect(await pay(error)).toBe(SIGNATURE);
});

test('without a name it is said that it may have been sent', async () => {
  await expect(pay({ message: 'Timeout.' })).rejects.toMatchObject({ key: 'wallet_unknown' });
});

test('what the customer rejected was not sent, whatever the error names', async () => {
  await expect(pay({ code: 4001, message: TIMEOUT })).rejects.toMatchObject({ key: 'wallet_rejected' });
});
