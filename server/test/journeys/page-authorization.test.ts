import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MachineShop, startMachineShop } from '../support/machine-shop.ts';

type Data = any;

let shop: MachineShop;
let alice: PrivateKeyAccount;

beforeAll(async () => {
  shop = await startMachineShop();
  [alice] = shop.payers as [PrivateKeyAccount];
});
afterAll(() => shop[Symbol.asyncDispose]());

const pathOf = (session: Data) => `/checkout/${session.id}/authorization`;
const ask = async (session: Data): Promise<Data> =>
  (await shop.inject('GET', `${pathOf(session)}?payer=${alice.address}`)).body;
const hand = (session: Data, body: Data) => shop.inject('POST', pathOf(session), { body });

/** What the page submits: the challenge, the signed data, and the signature. */
async function sign({ challenge, typed_data: typed }: Data, changes: Data = {}): Promise<Data> {
  const message = { ...typed.message, ...changes };
  return { challenge, message, signature: await alice.signTypedData({ ...typed, message }) };
}

async function paid(session: Data): Promise<void> {
  // The endpoint waits for the watcher's verdict.
  const answer = await shop.client.ask(session.id);
  if (answer.status === 202) return paid(session);
  expect(answer.status).toBe(200);
}

describe('a customer pays by a signature on the page', () => {
  test('for the amount due, in the domain of the contract, and the nonce names the payment', async () => {
    const session = await shop.session();
    const ready = await ask(session);
    expect(ready).toMatchObject({
      state: 'ready',
      typed_data: {
        domain: { name: 'USD Coin', version: '2', chainId: shop.chain.chainId, verifyingContract: shop.usdc },
        primaryType: 'TransferWithAuthorization',
        message: { from: alice.address, to: shop.wallet, validAfter: '0' },
      },
    });
    const before = await shop.balance(shop.wallet);
    expect((await hand(session, await sign(ready))).status).toBe(200);
    await paid(session);
    expect(await shop.rulesOf(session.id)).toEqual(['authorization']);
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
    expect((await shop.balance(shop.wallet)) - before).toBe(BigInt(ready.typed_data.message.value));
    expect((await ask(session)).state).toBe('ended');
  });

  test('by a wallet that ends its signature in 0 or 1', async () => {
    const session = await shop.session();
    const body = await sign(await ask(session));
    const parity = body.signature.endsWith('1b') ? '00' : '01';
    body.signature = `${body.signature.slice(0, -2)}${parity}`;
    expect((await hand(session, body)).status).toBe(200);
    await paid(session);
  });

  test('once, however often it is submitted, and nothing else is asked for meanwhile', async () => {
    const session = await shop.session();
    const before = shop.facilitator.asked.length;
    shop.facilitator.usually = 'down';
    const body = await sign(await ask(session));
    const answers = await Promise.all(Array.from({ length: 20 }, () => hand(session, body)));
    expect(new Set(answers.map(({ status, body: { state } }) => `${status} ${state}`))).toEqual(new Set(['200 open']));
    expect(shop.facilitator.asked.length - before).toBe(1);
    expect(await ask(session)).toEqual({ state: 'pending' });
    expect((await shop.inject('GET', pathOf(session))).body).toEqual({ state: 'pending' });
    const page = await shop.inject('GET', `/checkout/${session.id}`, { headers: { accept: 'text/html' } });
    expect(page.raw).toContain('Your signed payment is being sent.');
    expect(page.raw).not.toContain('data-amount');
    shop.facilitator.usually = 'none';
  });

  test('stored before anything leaves the process', async () => {
    const session = await shop.session();
    const stored: number[] = [];
    shop.facilitator.onSettle = async () => void stored.push((await shop.credentials(session.id)).length);
    await hand(session, await sign(await ask(session)));
    delete shop.facilitator.onSettle;
    expect(stored).toEqual([1]);
  });
});

describe('nothing is sent for', () => {
  test.each<[string, (session: Data) => Promise<Data>]>([
    ['a smaller amount', async (session) => sign(await ask(session), { value: '1' })],
    ['another recipient', async (session) => sign(await ask(session), { to: alice.address })],
    ['another nonce', async (session) => sign(await ask(session), { nonce: `0x${'11'.repeat(32)}` })],
    ['a longer time', async (session) => sign(await ask(session), { validBefore: '99999999999' })],
    ['another payer', async (session) => ({ ...(await sign(await ask(session))), message: { from: shop.wallet } })],
    ['the challenge of another checkout', async () => sign(await ask(await shop.session()))],
    ['a challenge with another end', async (session) => changed(await ask(session))],
    ['no challenge', async () => ({ message: {}, signature: '0x' })],
    ['nothing', async () => undefined],
    ['a list', async () => []],
  ])('%s', async (_name, make) => {
    const session = await shop.session();
    const before = shop.facilitator.asked.length;
    const answer = await hand(session, await make(session));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(shop.facilitator.asked.length).toBe(before);
    expect(await shop.credentials(session.id)).toEqual([]);
  });

  test('a payer that is not an address', async () => {
    const session = await shop.session();
    for (const payer of ['0x12', 'none', `0x${'zz'.repeat(20)}`])
      expect((await shop.inject('GET', `${pathOf(session)}?payer=${payer}`)).status).toBe(400);
    expect((await shop.inject('GET', '/checkout/none/authorization')).status).toBe(404);
  });
});

async function changed(ready: Data): Promise<Data> {
  const body = await sign(ready);
  return { ...body, challenge: { ...body.challenge, expires: '2099-01-01T00:00:00.000Z' } };
}
