import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Settlement, startSettlement } from '../../support/settlement.ts';

type Data = any;

let shop: Settlement;
beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());

const wallet = (at: number) => {
  const account = shop.chain.accounts[at];
  if (!account) throw new Error('no such account');
  return account;
};

/** A live payment of 98.00 by these wallets with these base units beyond the first one's due. */
async function paid(...more: { from: number; units: bigint }[]): Promise<string> {
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  const [first = { from: 1, units: 0n }, ...rest] = more;
  await shop.send(amountUnits + first.units, { tag, from: wallet(first.from).address });
  for (const { from, units } of rest) await shop.send(units, { tag, from: wallet(from).address });
  await shop.settle();
  return (await shop.payment(id)).id;
}

async function ask(id: string, fields: object = { amount: '9.80' }) {
  const refund = await shop.merchant.post(`/payments/${id}/refunds`, { ...fields, link: {} });
  return { refund, path: new URL(refund.link.url).pathname };
}

const read = (id: string): Promise<Data> => shop.merchant.get(`/refunds/${id}`);

/** What the page gives wallets to sign. */
async function signOf(path: string): Promise<{ payers: string[]; text: string } | null> {
  const { body } = await shop.app.server.inject({ url: path, headers: { accept: 'text/html' } });
  const [, state] = /id="page-state">([^<]*)</.exec(body) ?? [];
  return state ? JSON.parse(state).page.sign : null;
}

const answer = async (path: string, fields: Record<string, string>) =>
  (
    await shop.app.server.inject({
      method: 'POST',
      url: path,
      payload: new URLSearchParams(fields).toString(),
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    })
  ).statusCode;

async function signed(path: string, at: number, change = (text: string) => text) {
  const { address } = wallet(at);
  const text = (await signOf(path))?.text.replace('{address}', address) ?? '';
  return { address, signature: await wallet(at).signMessage({ message: change(text) }) };
}

test('the wallet that paid gets it by its signature, and no one needs to confirm', async () => {
  const id = await paid({ from: 1, units: 9_800_000n });
  const { refund, path } = await ask(id);
  const sign = await signOf(path);
  expect(sign?.payers).toEqual([wallet(1).address]);
  expect(sign?.text).toContain('9.800000 USDC on Ethereum');
  expect(sign?.text).toContain(refund.id);
  expect(sign?.text.split('\n')[0]).toContain('wants you to sign in with your Ethereum account');
  expect(await answer(path, await signed(path, 1))).toBe(303);
  expect(await read(refund.id)).toMatchObject({
    status: 'planned',
    to: wallet(1).address,
    link: { status: 'answered', address: wallet(1).address, proved: true },
  });
  const { entries } = await shop.merchant.get(`/payments/${id}/timeline`);
  const steps = entries.flatMap(({ type, data }: Data) => (type === 'refund' ? [[data.status, data.address]] : []));
  expect(steps).toEqual([
    ['requested', null],
    ['planned', wallet(1).address],
  ]);
  // It was the only answer.
  expect(await answer(path, { address: wallet(2).address })).toBe(409);
});

test.each([
  ['of another wallet', (path: string) => signed(path, 2)],
  [
    'of another wallet in the name of the payer',
    async (path: string) => ({ ...(await signed(path, 2)), address: wallet(1).address }),
  ],
  ['of another text', (path: string) => signed(path, 1, (text) => text.replace('9.80', '98.0'))],
  ['of another server', (path: string) => signed(path, 1, (text) => text.replace(/^\S+/, 'evil.example'))],
])('a signature %s is refused, and the link stays open', async (_what, make) => {
  const { refund, path } = await ask(await paid());
  expect(await answer(path, await make(path))).toBe(400);
  expect(await read(refund.id)).toMatchObject({ status: 'requested', to: null, link: { status: 'open' } });
});

test('the signature for one refund is worth nothing for another one', async () => {
  const id = await paid();
  const [one, other] = [await ask(id, { amount: '1.00' }), await ask(id, { amount: '1.00' })];
  const proof = await signed(one.path, 1);
  expect(await answer(other.path, proof)).toBe(400);
  expect(await answer(one.path, proof)).toBe(303);
});

test('a wallet that sent less than the refund, such as a stranger who sent dust, waits for the merchant', async () => {
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  await shop.send(amountUnits - 40_000_000n, { tag });
  await shop.send(40_000_000n, { tag, from: wallet(2).address });
  await shop.settle();
  const { id: of } = await shop.payment(id);
  const { refund, path } = await ask(of, { amount: '50.00' });
  expect((await signOf(path))?.payers).toEqual([wallet(1).address]);
  const text = (await signOf(path))?.text.replace('{address}', wallet(2).address) ?? '';
  const signature = await wallet(2).signMessage({ message: text });
  expect(await answer(path, { address: wallet(2).address, signature })).toBe(400);
  // As an entered address it can be named.
  expect(await answer(path, { address: wallet(2).address })).toBe(303);
  expect(await read(refund.id)).toMatchObject({ status: 'requested', to: null, link: { proved: false } });
});

test('a wallet gets no more by signatures than it sent', async () => {
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  await shop.send(amountUnits - 40_000_000n, { tag });
  await shop.send(40_000_000n, { tag, from: wallet(2).address });
  await shop.settle();
  const { id: of } = await shop.payment(id);
  const [one, two] = [await ask(of, { amount: '30.00' }), await ask(of, { amount: '30.00' })];
  const proofs = [await signed(one.path, 2), await signed(two.path, 2)] as const;
  const answers = await Promise.all([answer(one.path, proofs[0]), answer(two.path, proofs[1])]);
  expect(answers.sort()).toEqual([303, 400]);
});

test.each([
  ['with its address in lower case', () => ({ address: wallet(2).address.toLowerCase() })],
  ['without an address', () => ({})],
])('what was returned by the word of the merchant %s counts as returned to the wallet', async (_what, returned) => {
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  await shop.send(amountUnits - 40_000_000n, { tag });
  await shop.send(40_000_000n, { tag, from: wallet(2).address });
  await shop.settle();
  const { id: of } = await shop.payment(id);
  await shop.merchant.post(`/payments/${of}/refund`, { amount: '30.00', ...returned() });
  const { refund, path } = await ask(of, { amount: '20.00' });
  expect((await signOf(path))?.payers).toEqual([wallet(1).address]);
  expect(await answer(path, await signed(path, 2))).toBe(400);
  expect(await read(refund.id)).toMatchObject({ status: 'requested', to: null });
});

test('a wallet whose transfer is not final yet takes no refund by its signature', async () => {
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  await shop.send(amountUnits - 40_000_000n, { tag });
  await shop.settle();
  await shop.pass(3_700);
  await shop.settle();
  await shop.expire();
  expect((await shop.payment(id)).status).toBe('refund_required');
  await shop.send(20_000_000n, { tag, from: wallet(2).address });
  while ((await shop.watch()) === 'more');
  expect((await shop.publicSession(id)).payment.tx_hashes).toHaveLength(2);
  const { refund, path } = await ask((await shop.payment(id)).id);
  expect((await signOf(path))?.payers).toEqual([wallet(1).address]);
  const proof = await signed(path, 2);
  expect(await answer(path, proof)).toBe(400);
  expect(await read(refund.id)).toMatchObject({ status: 'requested', to: null });

  await shop.settle();
  expect(await answer(path, proof)).toBe(303);
  expect(await read(refund.id)).toMatchObject({ status: 'planned', to: wallet(2).address });
});
