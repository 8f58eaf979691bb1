import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stranger } from '../../../src/platform/http/admission/client.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { challengeFor, machineClient, requestOf, requiredIn, signX402 } from '../../support/machine-client.ts';

const LOOK_ONCE = { prefer: 'wait=0' };
const payer = privateKeyToAccount(`0x${'42'.repeat(32)}`);
let app: TestApp;
let client: ReturnType<typeof machineClient>;

beforeAll(async () => {
  app = await startApp();
  client = machineClient(app.inject);
});
afterAll(() => app.stop());

test('of the transactions of an account with the same nonce one is open at a time', async () => {
  withBase({ signed: { domain: async () => null, faultOf: async () => null }, broadcast: async () => true });
  const [first, second, third] = [await liveSession(), await liveSession(), await liveSession()];
  expect((await payByTransaction(first.id, 7)).status).toBe(202);
  const same = await payByTransaction(second.id, 7);
  expect([same.status, same.body.type]).toEqual([409, 'https://paymentauth.org/problems/payment-in-progress']);
  expect((await payByTransaction(second.id, 8)).status).toBe(202);

  await app.ctx.db.query('test_end', `update machine_credentials set state = 'void' where state = 'open'`, []);
  const fourth = await liveSession();
  const both = await Promise.all([payByTransaction(third.id, 7), payByTransaction(fourth.id, 7)]);
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
});

test('no network is asked about an authorization that its payer has not signed', async () => {
  const asked: string[] = [];
  const answer = (question: string, value: boolean) => async () => asked.push(question) > 0 && value;
  const domain = async () => ({ name: 'USD Coin', version: '2' });
  withBase({ signed: { domain, accepts: answer('accepts', false), isUsed: answer('isUsed', false) } });
  const facilitators = app.ctx.facilitators as Map<string, unknown>;
  facilitators.set('base', { kinds: async () => [{ scheme: 'exact', network: 'eip155:8453', feePayer: null }] });
  const session = await liveSession();
  const [accepted] = requiredIn(await client.ask(session.id)).accepts;
  const present = async (changes: object) =>
    (await client.payX402(session.id, await signX402(accepted, payer, changes))).status;

  const other = { from: privateKeyToAccount(generatePrivateKey()).address };
  expect([await present(other), await present({ ...other, validBefore: '1' })]).toEqual([402, 402]);
  // A facilitator that is away asks for nothing, and what was signed for it earlier may have moved money.
  facilitators.delete('base');
  expect([await present(other), asked]).toEqual([402, []]);
  expect([await present({}), asked]).toEqual([402, ['isUsed']]);
});

test('no client occupies the line of a network', async () => {
  const hanging = Promise.withResolvers<null>();
  let asked = 0;
  const faultOf = () => (asked += 1) && hanging.promise;
  withBase({ signed: { domain: async () => null, faultOf }, broadcast: async () => true });
  const sessions = await Promise.all(Array.from({ length: 10 }, () => liveSession()));
  const flood = sessions.slice(1).map(({ id }, at) => payByTransaction(id, 20 + at, from('203.0.113.7')));
  const [refused] = await Promise.race(flood.map(async (one) => [await one]));
  expect([refused?.status, refused?.headers['retry-after']]).toEqual([429, '5']);
  await expect.poll(() => asked).toBe(4);
  const other = payByTransaction(sessions[0]?.id ?? '', 19, from('203.0.113.8'));
  await expect.poll(() => asked).toBe(5);
  hanging.resolve(null);
  expect((await other).status).toBe(202);
  expect((await Promise.all(flood)).filter(({ status }) => status === 202).length).toBe(4);
});

test('whether a payout wallet on Solana has a token account is looked up from the share of the client that asks', async () => {
  const session = await liveSession('solana', '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs');
  const strangers: (Stranger | undefined)[] = [];
  const accountKindOf = async (_address: string, stranger?: Stranger) => {
    strangers.push(stranger);
    return null;
  };
  withChain('solana', { accountKindOf });
  expect((await from('203.0.113.7').ask(session.id)).status).toBe(400);
  expect(strangers.map((stranger) => stranger?.client?.narrow)).toEqual(['client:203.0.113.7']);
});

async function payByTransaction(sessionId: string, nonce: number, by = client) {
  const challenge = challengeFor(await by.ask(sessionId), 'transaction');
  const { recipient, amount, currency, methodDetails } = requestOf(challenge);
  const signature = await payer.signTransaction({
    type: 'eip1559',
    chainId: methodDetails.chainId,
    nonce,
    to: currency,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient as Hex, BigInt(amount)] }),
    gas: 100_000n,
    maxFeePerGas: 10n,
    maxPriorityFeePerGas: 1n,
  });
  return by.payMpp(sessionId, challenge, { type: 'transaction', signature }, LOOK_ONCE);
}

function from(address: string) {
  return machineClient((method, path, input) => app.inject(method, path, { ...input, from: address }));
}

function withBase(parts: object): void {
  withChain('base', parts);
}

/** Makes a network reachable. */
function withChain(network: string, parts: object): void {
  const chain = {
    health: () => ({ reachable: true }),
    accountKindOf: async () => null,
    close: async () => {},
    ...parts,
  };
  (app.ctx.chains as Map<string, unknown>).set(network, chain);
}

/** Into a separate wallet, for which amounts are reserved. */
async function liveSession(
  network: 'base' | 'solana' = 'base',
  address: string = privateKeyToAccount(generatePrivateKey()).address,
) {
  const merchant = await app.newMerchant({ mode: 'live' });
  await merchant.createWallet({ network, address });
  return merchant.createSession();
}
