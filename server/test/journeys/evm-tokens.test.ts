import { RECEIVE_NETWORKS } from '@quittance/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chain, ReorgError, type Head, type Transfer } from '../../src/outside/chains/chain.ts';
import type { Config } from '../../src/config.ts';
import { createEvmChain as createChain } from '../../src/outside/chains/evm/chain.ts';
import { createChains } from '../../src/outside/chains/registry.ts';
import { buildTag } from '../../src/outside/chains/evm/tag.ts';
import { calldata, startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { asRef, coinOf, createEvmChain, networkOf, TOKEN_CONTRACT } from '../support/row.ts';

const ALICE = '0x00000000000000000000000000000000000A11cE';
const BOB = '0x0000000000000000000000000000000000000B0b';
const WATCHING = { addresses: new Set([ALICE, BOB]) };
const REFERENCE = new Uint8Array(32).map((_, at) => at + 1);

let anvil: TestChain;
let token: `0x${string}`;
let batcher: `0x${string}`;
let chain: Chain;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken({ contract: TOKEN_CONTRACT });
  batcher = await anvil.deploy('Batcher');
  await anvil.send({ to: token, data: calldata('TestToken', 'mint', [batcher, 1_000_000_000n]) });
  chain = createEvmChain(
    { network: 'base', rpcUrls: [anvil.url], chainId: anvil.chainId, tokens: { USDC: token } },
    pino({ level: 'silent' }),
  );
});

afterAll(async () => {
  await chain.close();
  await anvil.stop();
});

/** The transfers since a block, read until the head. */
async function readSince(after: Head): Promise<{ transfers: Transfer[]; head: Head }> {
  const head = await chain.head('first');
  const transfers: Transfer[] = [];
  for (let from = { number: after.number, hash: after.hash, time: after.time }; from.number < head.number; ) {
    const reading = await chain.read({ after: from, until: head, watching: WATCHING, pass: 'first' });
    transfers.push(...reading.transfers);
    from = reading.covered;
  }
  return { transfers, head };
}

describe('reading token transfers', () => {
  test('a transfer to a watched wallet is read whole: asset, sender, recipient, amount, block', async () => {
    const before = await chain.head('first');
    const hash = await anvil.transferErc20({ token, to: ALICE, amount: 10_000_123n });
    await anvil.mine(3);

    const { transfers, head } = await readSince(before);

    const { blockNumber, blockHash } = await anvil.included(hash);
    const block = asRef({ number: blockNumber, hash: blockHash as string });
    expect(transfers).toEqual([
      {
        network: networkOf('base'),
        txHash: hash,
        index: 0,
        asset: coinOf('USDC'),
        from: anvil.accounts[1]?.address,
        to: ALICE,
        amountUnits: 10_000_123n,
        block: { ...block, time: expect.any(Date) },
        carried: [],
      },
    ]);
    expect(head.number).toBe(blockNumber + 3n);
    // Tron has no `safe` block.
    expect(head.finalized).toBeLessThanOrEqual(head.safe ?? head.number);
  });

  test('a tag behind the call belongs to its transfer', async () => {
    const before = await chain.head('first');
    await anvil.transferErc20({ token, to: ALICE, amount: 5n, tag: buildTag(REFERENCE) });

    const { transfers } = await readSince(before);

    expect(transfers.map((transfer) => transfer.carried)).toEqual([[Buffer.from(REFERENCE.subarray(0, 16))]]);
  });

  test('in a bundle each transfer carries the tag of its own call, and no transfer carries a loose tag', async () => {
    const before = await chain.head('first');
    const other = REFERENCE.map((byte) => byte ^ 0xff);
    await anvil.batch(
      batcher,
      [
        { target: token, data: transferCalldata(ALICE, 7n, buildTag(REFERENCE)) },
        { target: token, data: transferCalldata(BOB, 8n) },
        { target: token, data: transferCalldata(anvil.accounts[3]?.address as `0x${string}`, 8n) },
      ],
      { tag: buildTag(other) },
    );

    const { transfers } = await readSince(before);

    expect(transfers.map(({ index, to, amountUnits, carried }) => ({ index, to, amountUnits, carried }))).toEqual([
      { index: 0, to: ALICE, amountUnits: 7n, carried: [Buffer.from(REFERENCE.subarray(0, 16))] },
      { index: 1, to: BOB, amountUnits: 8n, carried: [] },
    ]);
  });

  test("a tag behind another account's money is not the payer's, and no single provider can make it so", async () => {
    const [payer, relayer] = [anvil.accounts[1]?.address as `0x${string}`, anvil.accounts[2]?.address as `0x${string}`];
    await anvil.send({ from: payer, to: token, data: calldata('TestToken', 'approve', [relayer, 9n]) });
    const before = await chain.head('first');
    const tag = Buffer.from(buildTag(REFERENCE)).toString('hex');
    await anvil.send({
      from: relayer,
      to: token,
      data: `${calldata('TestToken', 'transferFrom', [payer, ALICE, 9n])}${tag}`,
    });

    const [transfer] = (await readSince(before)).transfers as [Transfer];

    expect(transfer).toMatchObject({ from: payer, to: ALICE, amountUnits: 9n, carried: [] });
    const invented = { ...transfer, carried: [REFERENCE.subarray(0, 16)] };
    expect(await chain.check(invented, WATCHING)).toMatchObject({
      type: 'disagree',
      details: expect.stringContaining('does not carry'),
    });
  });

  test('a look-alike token, a transfer of nothing and one that answered false do not count as transfers', async () => {
    const before = await chain.head('first');
    const lookAlike = await anvil.deploy('LookAlikeToken');
    await anvil.transferErc20({ token: lookAlike, to: ALICE, amount: 10n });
    await anvil.send({
      to: token,
      data: calldata('TestToken', 'transferFrom', [anvil.accounts[4]?.address, ALICE, 0n]),
    });
    await anvil.transferErc20({ token, to: ALICE, amount: 10n ** 30n, gas: 100_000n });

    expect((await readSince(before)).transfers).toEqual([]);
  });

  test('a token that keeps a fee counts with what arrived, one that answers false with nothing', async () => {
    const feeToken = await anvil.deployToken({ contract: 'FeeToken' });
    const falseToken = await anvil.deployToken({ contract: 'FalseToken' });
    const other = createChain(
      {
        network: 'ethereum',
        rpcUrls: [anvil.url],
        chainId: anvil.chainId,
        tokens: { USDT: feeToken, USDC: falseToken },
      },
      pino({ level: 'silent' }),
    );
    const before = await other.head('first');
    await anvil.transferErc20({ token: feeToken, to: ALICE, amount: 1_000n, tag: buildTag(REFERENCE) });
    await anvil.transferErc20({ token: falseToken, to: ALICE, amount: 1_000n });

    const { transfers } = await other.read({
      after: before,
      until: await other.head('first'),
      watching: WATCHING,
      pass: 'first',
    });

    expect(transfers).toMatchObject([
      { asset: 'USDT', index: 0, amountUnits: 990n, carried: [Buffer.from(REFERENCE.subarray(0, 16))] },
    ]);
    await other.close();
  });

  test('the number of a transfer in its transaction does not depend on who is watched', async () => {
    const before = await chain.head('first');
    await anvil.batch(batcher, [
      { target: token, data: transferCalldata(ALICE, 1n) },
      { target: token, data: transferCalldata(BOB, 2n) },
    ]);
    const head = await chain.head('first');

    const both = await chain.read({ after: before, until: head, watching: WATCHING, pass: 'first' });
    const bob = await chain.read({
      after: before,
      until: head,
      watching: { addresses: new Set([BOB]) },
      pass: 'first',
    });

    expect(both.transfers.map(({ to, index }) => ({ to, index }))).toEqual([
      { to: ALICE, index: 0 },
      { to: BOB, index: 1 },
    ]);
    expect(bob.transfers).toEqual([both.transfers[1]]);
  });

  test('nor on which coins are watched: a coin that is added later numbers no transfer again', async () => {
    const added = await anvil.deployToken({ symbol: 'USDT' });
    await anvil.send({ to: added, data: calldata('TestToken', 'mint', [batcher, 1_000n]) });
    const log = pino({ level: 'silent' });
    const settings = { network: 'ethereum', rpcUrls: [anvil.url], chainId: anvil.chainId } as const;
    const coins: Record<string, string>[] = [{ USDC: token }, { USDC: token, USDT: added }];
    const [narrow, wider] = coins.map((tokens) => createChain({ ...settings, tokens }, log)) as [Chain, Chain];
    const before = await narrow.head('first');
    await anvil.batch(batcher, [
      { target: added, data: transferCalldata(ALICE, 1n) },
      { target: token, data: transferCalldata(BOB, 2n) },
    ]);
    const step = { after: before, until: await narrow.head('first'), watching: WATCHING, pass: 'first' } as const;

    const [{ transfers: paid }, { transfers: both }] = [await narrow.read(step), await wider.read(step)];
    expect(both).toHaveLength(2);
    expect(paid.map(({ index }) => index)).toEqual([both[1]?.index]);
    await Promise.all([narrow.close(), wider.close()]);
  });

  test('without wallets to watch, or new blocks, reading only confirms its position', async () => {
    const head = await chain.head('first');
    await anvil.mine(700);
    const later = await chain.head('first');

    expect(
      await chain.read({ after: head, until: later, watching: { addresses: new Set() }, pass: 'first' }),
    ).toMatchObject({
      transfers: [],
      covered: { number: later.number, hash: later.hash },
    });
    expect(await chain.read({ after: later, until: later, watching: WATCHING, pass: 'first' })).toMatchObject({
      transfers: [],
      covered: { number: later.number },
    });
  });

  test('a block that is no longer on the chain is reported as forked', async () => {
    await anvil.mine(5);
    const before = await chain.head('first');
    await anvil.reorg(3);
    const until = await chain.head('first');

    await expect(chain.read({ after: before, until, watching: WATCHING, pass: 'first' })).rejects.toBeInstanceOf(
      ReorgError,
    );
    await expect(chain.block(before.number - 3n)).resolves.toMatchObject({ number: before.number - 3n });
  });
});

test('four networks are read side by side, each its own chain and tokens', async () => {
  const networks = ['ethereum', 'base', 'polygon', 'arbitrum'] as const;
  const nodes = await Promise.all(networks.map((_, at) => startAnvil({ chainId: 1001 + at })));
  const tokens = await Promise.all(nodes.map((node) => node.deployToken()));
  const chains = createChains(
    {
      networks: Object.fromEntries([
        ...RECEIVE_NETWORKS.map((network) => [network, { rpcUrls: [] }]),
        ...networks.map((network, at) => [
          network,
          {
            rpcUrls: [nodes[at]?.url as string],
            chainId: nodes[at]?.chainId as number,
            confirmations: null,
            tokens: { USDC: tokens[at] as string },
          },
        ]),
      ]) as unknown as Config['networks'],
    },
    pino({ level: 'silent' }),
  );

  for (const [at, network] of networks.entries()) {
    const own = chains.get(network) as Chain;
    const before = await own.head('first');
    await nodes[at]?.transferErc20({ token: tokens[at] as `0x${string}`, to: ALICE, amount: BigInt(at + 1) });
    const { transfers } = await own.read({
      after: before,
      until: await own.head('first'),
      watching: WATCHING,
      pass: 'first',
    });
    expect(transfers).toMatchObject([{ network, asset: 'USDC', amountUnits: BigInt(at + 1) }]);
  }
  await Promise.all([...[...chains.values()].map((own) => own.close()), ...nodes.map((node) => node.stop())]);
});

describe('checking a transfer', () => {
  test('it stands where it stood', async () => {
    const before = await chain.head('first');
    await anvil.transferErc20({ token, to: ALICE, amount: 11n });
    await anvil.mine(2);
    const {
      transfers: [transfer],
      head,
    } = await readSince(before);

    const verdict = await chain.check(transfer as Transfer, WATCHING);

    expect(verdict).toEqual({
      type: 'stands',
      transfer,
      providers: [new URL(anvil.url).host],
      alone: null,
      head: { number: head.number, safe: head.safe, finalized: head.finalized },
    });
  });

  test('it is in another block after a reorg that moved it, and is gone after one without it', async () => {
    const before = await chain.head('first');
    const hash = await anvil.transferErc20({ token, to: ALICE, amount: 12n });
    await anvil.mine(2);
    const {
      transfers: [transfer],
    } = await readSince(before);
    const signed = await anvil.signed(hash);

    await anvil.reorg(3, [{ block: 2, transaction: signed }]);
    const moved = await chain.check(transfer as Transfer, WATCHING);
    await anvil.reorg(1);
    const gone = await chain.check(transfer as Transfer, WATCHING);

    const { block: was, ...same } = transfer as Transfer;
    expect(moved).toMatchObject({ type: 'stands', transfer: { ...same, block: { number: was.number + 2n } } });
    expect(gone).toEqual({ type: 'gone' });
  });

  test('a transaction is found by hash, reverted or not, and an unknown one is not', async () => {
    const good = await anvil.transferErc20({ token, to: ALICE, amount: 13n });
    const bad = await anvil.transferErc20({ token, to: ALICE, amount: 10n ** 30n, gas: 100_000n });

    expect(await chain.transaction(good, WATCHING)).toMatchObject({
      reverted: null,
      transfers: [{ txHash: good, amountUnits: 13n }],
    });
    expect(await chain.transaction(bad, WATCHING)).toEqual({
      provider: expect.any(String),
      reverted: [{ txHash: bad, from: expect.any(String), to: ALICE, amountUnits: 10n ** 30n, carried: [] }],
      emptyIn: (await anvil.head()).number,
      movedNothing: true,
      transfers: [],
    });
    expect(await chain.transaction(`0x${'ab'.repeat(32)}`, WATCHING)).toBeUndefined();
  });

  test('the block at an instant is the last one not after it', async () => {
    await anvil.mine(50, { intervalSeconds: 7 });
    const head = await anvil.head();
    const found = await chain.blockAt(new Date(head.time.getTime() - 10_000));
    expect(found.number).toBe(head.number - 2n);
    expect((await chain.blockAt(new Date(head.time.getTime() + 1))).number).toBe(head.number);
    expect((await chain.blockAt(new Date(0))).number).toBe(0n);
  });
});
