import { expect, test } from 'vitest';
import { startSolana } from './index.ts';

type Answer = { result?: any; error?: { code: number; message: string; data?: any } };

async function ask(url: string, method: string, ...params: unknown[]): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as Answer;
}

const CONFIRMED = { commitment: 'confirmed' };
const FULL = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };

test('money moves on the real runtime and is reported as a node reports it', async () => {
  await using cluster = await startSolana();
  const [merchant, reference] = [await cluster.newWallet(0n), await cluster.newWallet(0n)];
  const mint = await cluster.createMint();
  await cluster.mint(mint, cluster.payer.address, 1_000_000_000n);
  const paid = await cluster.transferToken({
    mint,
    to: merchant.address,
    amount: 12_500_000n,
    references: [reference.address],
    memo: 'order 1',
  });

  expect(await cluster.balance(mint, merchant.address)).toBe(12_500_000n);
  expect((await ask(cluster.url, 'getSignaturesForAddress', reference.address, CONFIRMED)).result).toMatchObject([
    { signature: paid, err: null, memo: '[7] order 1', confirmationStatus: 'confirmed' },
  ]);
  const { result } = await ask(cluster.url, 'getTransaction', paid, FULL);
  expect(result.meta).toMatchObject({
    err: null,
    fee: 5_000,
    preTokenBalances: [{ owner: cluster.payer.address, mint, uiTokenAmount: { amount: '1000000000' } }],
  });
  expect(
    Object.fromEntries(
      result.meta.postTokenBalances.map((balance: { owner: string; uiTokenAmount: { amount: string } }) => [
        balance.owner,
        balance.uiTokenAmount.amount,
      ]),
    ),
  ).toEqual({ [cluster.payer.address]: '987500000', [merchant.address]: '12500000' });
  // Creating the recipient's account runs inner instructions.
  expect(result.meta.innerInstructions).toMatchObject([{ index: 0 }]);
});

test('a failed transaction is in a block and pays its fee, unless the preflight check rejected it', async () => {
  await using cluster = await startSolana();
  const poor = await cluster.newWallet(1_000_000_000n);
  const to = (await cluster.newWallet(0n)).address;

  const failed = await cluster.transferSol({ from: poor, to, amount: 5_000_000_000n });

  expect((await ask(cluster.url, 'getTransaction', failed, FULL)).result.meta).toMatchObject({
    err: { InstructionError: [0, { Custom: 1 }] },
    fee: 5_000,
  });
  expect(
    await ask(
      cluster.url,
      'sendTransaction',
      Buffer.from(cluster.ledger.transactions.get(failed)?.wire ?? []).toString('base64'),
      { encoding: 'base64' },
    ),
  ).toMatchObject({ error: { code: -32002, message: expect.stringContaining('Transaction simulation failed') } });
});

test('commitments trail, slots without a block are none, and histories are paged', async () => {
  await using cluster = await startSolana({ finalizedLag: 8, confirmedLag: 1 });
  const to = (await cluster.newWallet(0n)).address;
  const signatures: string[] = [];
  for (let at = 0; at < 5; at++) signatures.unshift(await cluster.transferSol({ to, amount: 2_000_000n }));
  cluster.slots(1, { skip: 3 });
  const newest = Number(cluster.head().number);

  expect((await ask(cluster.url, 'getSlot', { commitment: 'processed' })).result).toBe(newest);
  expect((await ask(cluster.url, 'getSlot', CONFIRMED)).result).toBe(newest - 4);
  expect((await ask(cluster.url, 'getBlock', newest - 3, CONFIRMED)).error?.code).toBe(-32004);
  cluster.slots();
  expect((await ask(cluster.url, 'getBlock', newest - 3, CONFIRMED)).error?.code).toBe(-32007);
  expect((await ask(cluster.url, 'getBlocks', newest - 5, newest, CONFIRMED)).result).toEqual([
    newest - 5,
    newest - 4,
    newest,
  ]);
  expect(
    (await ask(cluster.url, 'getBlock', newest, { ...CONFIRMED, transactionDetails: 'none', rewards: false })).result,
  ).toMatchObject({ parentSlot: newest - 4, blockTime: expect.any(Number) });

  const page = async (settings: object) =>
    (await ask(cluster.url, 'getSignaturesForAddress', to, { ...CONFIRMED, ...settings })).result.map(
      (entry: { signature: string }) => entry.signature,
    );
  expect(await page({})).toEqual(signatures);
  expect(await page({ limit: 2 })).toEqual(signatures.slice(0, 2));
  expect(await page({ before: signatures[1], limit: 2 })).toEqual(signatures.slice(2, 4));
  expect(await page({ before: signatures[0], until: signatures[3] })).toEqual(signatures.slice(1, 3));
  expect(
    (await ask(cluster.url, 'getSignaturesForAddress', to, { ...CONFIRMED, minContextSlot: newest + 9 })).error,
  ).toMatchObject({ code: -32016, data: { contextSlot: newest } });
});

test('a fork takes back what was in the newest slots, and may hold some of it again', async () => {
  await using cluster = await startSolana({ finalizedLag: 8 });
  const to = (await cluster.newWallet(0n)).address;
  const stays = await cluster.transferSol({ to, amount: 3_000_000n });
  const goes = await cluster.transferSol({ to, amount: 4_000_000n });
  const moves = await cluster.transferSol({ to, amount: 5_000_000n });
  const before = cluster.head();

  cluster.fork(2, [{ slot: 1, signature: moves }]);

  expect(cluster.ledger.svm.getBalance(to as never)).toBe(8_000_000n);
  expect(cluster.head()).toMatchObject({ number: before.number });
  expect(cluster.head().hash).not.toBe(before.hash);
  expect((await ask(cluster.url, 'getTransaction', goes, FULL)).result).toBeNull();
  expect((await ask(cluster.url, 'getSignaturesForAddress', to, CONFIRMED)).result).toMatchObject([
    { signature: moves, slot: Number(before.number) },
    { signature: stays },
  ]);
  expect(() => cluster.fork(9)).toThrow('finalized');
});

test('keys from look-up tables are loaded, and a client that does not support versions gets an error', async () => {
  await using cluster = await startSolana();
  const to = (await cluster.newWallet(0n)).address;
  const table = await cluster.createTable([to]);
  cluster.slots();
  const signature = await cluster.transferSol({ to, amount: 3_000_000n, tables: [table] });

  expect((await ask(cluster.url, 'getTransaction', signature, FULL)).result).toMatchObject({
    meta: { loadedAddresses: { writable: [to], readonly: [] } },
    version: 0,
  });
  expect((await ask(cluster.url, 'getTransaction', signature, CONFIRMED)).error?.code).toBe(-32015);
});

test('accounts are read, transactions simulated and sent as over the wire', async () => {
  await using cluster = await startSolana();
  const mint = await cluster.createMint();
  await cluster.mint(mint, cluster.payer.address, 7n);
  const account = await cluster.tokenAccount(mint, cluster.payer.address);

  expect(
    (await ask(cluster.url, 'getAccountInfo', account, { ...CONFIRMED, encoding: 'jsonParsed' })).result.value.data
      .parsed.info,
  ).toMatchObject({ mint, tokenAmount: { amount: '7' } });
  expect((await ask(cluster.url, 'getMultipleAccounts', [account, mint], CONFIRMED)).result.value).toMatchObject([
    { owner: expect.any(String) },
    { executable: false },
  ]);
  expect(
    (await ask(cluster.url, 'getTokenAccountsByOwner', cluster.payer.address, { mint }, CONFIRMED)).result.value,
  ).toMatchObject([{ pubkey: account }]);
  expect((await ask(cluster.url, 'nothing')).error?.code).toBe(-32601);
});

test('slots come by themselves where they are asked to', async () => {
  await using cluster = await startSolana({ slotMs: 10 });
  const { number } = cluster.head();
  await expect.poll(() => cluster.head().number).toBeGreaterThan(number + 2n);
});
