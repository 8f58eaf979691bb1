import { base58 } from '@scure/base';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlockRef, Chain, Transfer } from '../../src/outside/chains/chain.ts';
import { createSolanaChain } from '../../src/outside/chains/solana/chain.ts';
import { startSolana, type TestSolana } from '../support/solana/index.ts';

let cluster: TestSolana;
let usdc: string;
let usdt: string;
let alice: string;
let bob: string;
let chain: Chain;

const reference = () => base58.encode(crypto.getRandomValues(new Uint8Array(32)));
const bytes = (text: string) => base58.decode(text);

beforeAll(async () => {
  cluster = await startSolana();
  usdc = await cluster.createMint();
  usdt = await cluster.createMint();
  await cluster.mint(usdc, cluster.payer.address, 1_000_000_000_000n);
  await cluster.mint(usdt, cluster.payer.address, 1_000_000_000_000n);
  [alice, bob] = [(await cluster.newWallet()).address, (await cluster.newWallet(0n)).address];
  chain = follow();
});

afterAll(async () => {
  await chain.close();
  await cluster.stop();
});

function follow(tuning: object = {}): Chain {
  return createSolanaChain({ rpcUrls: [cluster.url], genesisHash: cluster.genesisHash, tokens: { USDC: usdc, USDT: usdt }, tuning: { historiesPerSecond: Number.POSITIVE_INFINITY, ...tuning } }, pino({ level: 'silent' }));
}

/** What came since a block, read until nothing more is covered. */
async function readSince(after: BlockRef, from = chain): Promise<Transfer[]> {
  const head = await from.head('first');
  const transfers = new Map<string, Transfer>();
  for (let at = after; ;) {
    const reading = await from.read(at, head, { addresses: new Set([alice, bob]) }, 'first');
    for (const transfer of reading.transfers) transfers.set(`${transfer.txHash} ${transfer.index}`, transfer);
    if (reading.covered.number === at.number) return [...transfers.values()];
    at = reading.covered;
  }
}

describe.each([['wallet by wallet', {}], ['by whole blocks', { wholeBlocksAbove: 0, historiesPerBlock: 0 }]])('read %s', (_, tuning) => {
  let own: Chain;
  beforeAll(() => {
    own = follow(tuning);
  });
  afterAll(() => own.close());

  test('a token transfer is read whole: asset, sender, recipient, amount, block', async () => {
    const before = cluster.head();
    const signature = await cluster.transferToken({ mint: usdc, to: alice, amount: 10_000_123n });
    const { slot, blockhash, time } = cluster.ledger.head;

    expect(await readSince(before, own)).toEqual([{
      network: 'solana', txHash: signature, index: expect.any(Number), asset: 'USDC', from: cluster.payer.address, to: alice, amountUnits: 10_000_123n,
      block: { number: slot, hash: blockhash, time: new Date(Math.floor(time.getTime() / 1000) * 1000) }, carried: [],
    }]);
  });

  test('a native transfer is read whole', async () => {
    const before = cluster.head();
    const signature = await cluster.transferSol({ to: alice, amount: 5_000_000n });
    expect(await readSince(before, own)).toMatchObject([{ txHash: signature, asset: 'SOL', from: cluster.payer.address, to: alice, amountUnits: 5_000_000n }]);
  });

  test('references and memos are carried', async () => {
    const before = cluster.head();
    const [one, two, three] = [reference(), reference(), reference()];
    await cluster.transferToken({ mint: usdc, to: alice, amount: 1n, references: [one, two] });
    await cluster.transferSol({ to: bob, amount: 2_000_000n, references: [three], memo: `order ${one}` });

    expect((await readSince(before, own)).map((transfer) => transfer.carried)).toEqual([[bytes(one), bytes(two)], [bytes(three), bytes(one)]]);
  });
});
