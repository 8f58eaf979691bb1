import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlockRef, Chain, Reading, Transfer } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { TemporaryError } from '../../src/platform/errors.ts';
import { buildTag } from '../../src/outside/chains/evm/tag.ts';
import { artifact, calldata, startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';

const ALICE = '0x00000000000000000000000000000000000A11cE';
const BOB = '0x0000000000000000000000000000000000000B0b';
const OTHERS = Array.from({ length: 5 }, (_, at) => `0x${(0xabc000 + at).toString(16).padStart(40, '0')}`);
const WATCHING = { addresses: new Set([ALICE, BOB, ...OTHERS]) };
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
const NATIVE = 1_000_000;

let anvil: TestChain;
let token: `0x${string}`;
let batcher: `0x${string}`;
let forwarder: `0x${string}`;
let proxy: RpcProxy;
let chain: Chain;
let start: BlockRef;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken();
  batcher = await anvil.deploy('Batcher');
  forwarder = await anvil.deploy('Forwarder');
  await anvil.send({ to: token, data: calldata('TestToken', 'mint', [batcher, 1_000_000_000n]) });
  await anvil.sendEth({ to: batcher, amount: 10n ** 19n });
});

afterAll(() => anvil.stop());

beforeEach(async () => {
  proxy = await startRpcProxy(anvil.url);
  chain = open([proxy.url]);
  start = await anvil.head();
});

afterEach(async () => {
  await chain.close();
  await proxy.stop();
});

function open(rpcUrls: string[], tokens: Record<string, string> = {}): Chain {
  return createEvmChain(
    {
      network: 'ethereum',
      rpcUrls,
      chainId: 31_337,
      tokens: { USDC: token, ...tokens },
      tuning: { pauseMs: { first: 1, longest: 5 } },
    },
    pino({ level: 'silent' }),
  );
}

async function readAll(from: BlockRef = start): Promise<Pick<Reading, 'transfers' | 'reverted'>> {
  const head = await chain.head('first');
  const all: Pick<Reading, 'transfers' | 'reverted'> = { transfers: [], reverted: [] };
  for (let after = from; after.number < head.number; ) {
    const reading = await chain.read({ after, until: head, watching: WATCHING, pass: 'first' });
    all.transfers.push(...reading.transfers);
    all.reverted.push(...reading.reverted);
    after = reading.covered;
  }
  return all;
}

const brief = (transfers: Transfer[]) =>
  transfers.map(({ asset, index, from, to, amountUnits }) => ({ asset, index, from, to, amountUnits }));

describe('native transfers', () => {
  test('ether sent to a watched wallet is read from its block, with a tag behind it', async () => {
    const payer = anvil.accounts[1]?.address as string;
    const hash = await anvil.sendEth({
      to: ALICE,
      amount: 5n,
      data: `0x${Buffer.from(buildTag(new Uint8Array(16).fill(3))).toString('hex')}`,
    });
    await anvil.mine(12);

    const { transfers } = await readAll();

    expect(transfers).toMatchObject([
      {
        txHash: hash,
        asset: 'ETH',
        index: NATIVE,
        from: payer,
        to: ALICE,
        amountUnits: 5n,
        carried: [Buffer.alloc(16, 3)],
      },
    ]);
    expect(await chain.check(transfers[0] as Transfer, WATCHING)).toMatchObject({ type: 'stands' });
    expect(proxy.heard.get('debug_traceBlockByHash')).toBeUndefined();
  });

  test('a transfer that reverted is reported as reverted', async () => {
    const hash = await anvil.transferErc20({
      token,
      to: ALICE,
      amount: 10n ** 30n,
      gas: 100_000n,
      tag: buildTag(new Uint8Array(16).fill(4)),
    });

    expect(await readAll()).toEqual({
      transfers: [],
      reverted: [
        { txHash: hash, from: expect.any(String), to: ALICE, amountUnits: 10n ** 30n, carried: [Buffer.alloc(16, 4)] },
      ],
    });
  });

  test('ether from inside contracts is traced: calls, deeper calls and self-destruction, not what failed', async () => {
    const hash = await anvil.batch(
      batcher,
      [
        { target: ALICE, value: 5n },
        { target: forwarder, value: 6n, data: calldata('Forwarder', 'forward', [BOB]) },
        { target: forwarder, value: 7n, data: calldata('Forwarder', 'forwardAndFail', [ALICE]) },
        { target: forwarder, value: 8n, data: calldata('Forwarder', 'destroy', [ALICE]) },
        { target: token, data: transferCalldata(BOB, 9n) },
      ],
      { tolerant: true, gas: 1_000_000n },
    );

    const { transfers } = await readAll();

    expect(transfers.every((transfer) => transfer.txHash === hash)).toBe(true);
    expect(brief(transfers)).toEqual([
      { asset: 'USDC', index: 0, from: batcher, to: BOB, amountUnits: 9n },
      { asset: 'ETH', index: NATIVE + 1, from: batcher, to: ALICE, amountUnits: 5n },
      { asset: 'ETH', index: NATIVE + 3, from: forwarder, to: BOB, amountUnits: 6n },
      { asset: 'ETH', index: NATIVE + 5, from: forwarder, to: ALICE, amountUnits: 8n },
    ]);
    for (const transfer of transfers)
      expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands', transfer });
    expect((await chain.transaction(hash, WATCHING))?.transfers).toEqual(transfers);
  });

  test('a transaction from a hint is traced only where it may have paid the wallet', async () => {
    const stranger = '0x00000000000000000000000000000000000d00d5';
    const elsewhere = await anvil.sendEth({
      to: forwarder,
      amount: 6n,
      data: calldata('Forwarder', 'forward', [stranger]),
    });
    const here = await anvil.sendEth({ to: forwarder, amount: 7n, data: calldata('Forwarder', 'forward', [ALICE]) });
    // A contract that forwards its money to an address that is only in its code.
    const splitter = '0x0000000000000000000000000000000000005917';
    await anvil.rpc('anvil_setCode', [splitter, `0x60006000600060003473${BOB.slice(2)}5af100`]);
    const hidden = await anvil.sendEth({ to: splitter, amount: 8n, gas: 100_000n });

    expect(await chain.transaction(elsewhere, WATCHING)).toMatchObject({ transfers: [], reverted: null });
    expect(proxy.heard.get('debug_traceTransaction')).toBeUndefined();
    expect((await chain.transaction(here, WATCHING))?.transfers).toMatchObject([{ to: ALICE, amountUnits: 7n }]);
    expect((await chain.transaction(hidden, WATCHING))?.transfers).toMatchObject([{ to: BOB, amountUnits: 8n }]);
    expect(proxy.heard.get('debug_traceTransaction')).toBe(2);
  });

  test('a transaction from a hint is traced, within a budget, where no provider has the balances of its block', async () => {
    const splitter = '0x0000000000000000000000000000000000005918';
    await anvil.rpc('anvil_setCode', [splitter, `0x60006000600060003473${BOB.slice(2)}5af100`]);
    const hidden = await anvil.sendEth({ to: splitter, amount: 8n, gas: 100_000n });
    proxy.refused = ['eth_getBalance', 'eth_call'];
    expect((await chain.transaction(hidden, WATCHING))?.transfers).toMatchObject([{ to: BOB, amountUnits: 8n }]);

    const elsewhere = await anvil.sendEth({ to: '0x00000000000000000000000000000000000d00d5', amount: 6n });
    for (let traces = 1; traces < 30; traces += 1)
      expect(await chain.transaction(elsewhere, WATCHING)).toMatchObject({ transfers: [], reverted: null });
    await expect(chain.transaction(hidden, WATCHING)).rejects.toThrow(TemporaryError);
    expect(proxy.heard.get('debug_traceTransaction')).toBe(30);
  });

  test('a transaction from a hint that nothing shows is not called empty', async () => {
    proxy.refused = ['eth_getBalance', 'eth_call', 'debug_', 'trace_'];
    const elsewhere = await anvil.sendEth({ to: '0x00000000000000000000000000000000000d00d5', amount: 6n });
    await expect(chain.transaction(elsewhere, WATCHING)).rejects.toThrow(TemporaryError);
  });

  test('the two dialects of traces show the same', async () => {
    await anvil.batch(
      batcher,
      [
        { target: ALICE, value: 5n },
        { target: forwarder, value: 6n, data: calldata('Forwarder', 'forward', [BOB]) },
        { target: forwarder, value: 7n, data: calldata('Forwarder', 'forwardAndFail', [ALICE]) },
        { target: forwarder, value: 8n, data: calldata('Forwarder', 'destroy', [ALICE]) },
      ],
      { tolerant: true, gas: 1_000_000n },
    );
    const { transfers } = await readAll();

    proxy.refused = ['debug_'];
    await chain.close();
    chain = open([proxy.url]);

    expect(transfers).toHaveLength(3);
    expect((await readAll()).transfers).toEqual(transfers);
    for (const transfer of transfers)
      expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands', transfer });
  });

  test('without traces, the growth of a balance is reported without a hash, and is replaced by the transfer once it is traced', async () => {
    proxy.refused = ['debug_', 'trace_'];
    const hash = await anvil.sendEth({ to: forwarder, amount: 11n, data: calldata('Forwarder', 'forward', [ALICE]) });
    const { blockNumber } = await anvil.included(hash);
    await anvil.mine(9);

    const { transfers } = await readAll();
    expect(transfers).toMatchObject([
      {
        txHash: `block:${blockNumber}:${ALICE}`,
        from: null,
        to: ALICE,
        amountUnits: 11n,
        untraced: true,
        block: { number: blockNumber },
      },
    ]);
    const untraced = transfers[0] as Transfer;
    expect(await chain.check(untraced, WATCHING)).toMatchObject({ type: 'stands', transfer: untraced });

    proxy.refused = [];
    await chain.close();
    chain = open([proxy.url]);
    expect(await chain.check(untraced, WATCHING)).toMatchObject({
      type: 'gone',
      instead: [{ txHash: hash, index: NATIVE + 1, from: forwarder, to: ALICE, amountUnits: 11n }],
    });
  });

  test("a wallet's own payments and fees do not hide incoming money", async () => {
    await anvil.rpc('anvil_setBalance', [ALICE, '0xde0b6b3a7640000']);
    await anvil.mine();
    start = await anvil.head();
    await anvil.send({ from: ALICE, to: BOB, value: 1234n, mine: false });
    await anvil.sendEth({ to: forwarder, amount: 1234n, data: calldata('Forwarder', 'forward', [ALICE]), mine: false });
    await anvil.send({ from: ALICE, to: token, data: transferCalldata(BOB, 10n ** 30n), gas: 100_000n, mine: false });
    await anvil.mine();

    expect(brief((await readAll()).transfers)).toEqual([
      { asset: 'ETH', index: NATIVE, from: ALICE, to: BOB, amountUnits: 1234n },
      { asset: 'ETH', index: NATIVE + 1, from: forwarder, to: ALICE, amountUnits: 1234n },
    ]);
  });

  test('balances are read through Multicall3 where the chain has it', async () => {
    await anvil.rpc('anvil_setCode', [MULTICALL3, artifact('Balances').deployedBytecode]);
    await anvil.mine();
    start = await anvil.head();
    proxy.heard.clear();
    await anvil.sendEth({ to: forwarder, amount: 3n, data: calldata('Forwarder', 'forward', [BOB]) });

    expect(brief((await readAll()).transfers)).toMatchObject([{ to: BOB, amountUnits: 3n }]);
    expect(proxy.heard.get('eth_getBalance')).toBeUndefined();
    expect(proxy.heard.get('eth_call')).toBe(2);
    await anvil.rpc('anvil_setCode', [MULTICALL3, '0x']);
    await anvil.mine();
  });

  test('logs are enough if the chain itself logs native transfers', async () => {
    const emitter = '0xfffffffffffffffffffffffffffffffffffffffe';
    await anvil.rpc('anvil_setCode', [emitter, artifact('LookAlikeToken').deployedBytecode]);
    await chain.close();
    chain = open([proxy.url], { ETH: emitter });
    await anvil.transferErc20({ token: emitter, to: ALICE, amount: 21n });

    expect(brief((await readAll()).transfers)).toEqual([
      { asset: 'ETH', index: NATIVE + 1, from: anvil.accounts[1]?.address, to: ALICE, amountUnits: 21n },
    ]);
    expect(proxy.heard.get('debug_traceBlockByHash')).toBeUndefined();
    await anvil.rpc('anvil_setCode', [emitter, '0x']);
    await anvil.mine();
  });

  test('a reorg that moves an internal transfer is seen, and one that drops it', async () => {
    const hash = await anvil.sendEth({ to: forwarder, amount: 31n, data: calldata('Forwarder', 'forward', [ALICE]) });
    const signed = await anvil.signed(hash);
    await anvil.mine(2);
    const [transfer] = (await readAll()).transfers as [Transfer];

    await anvil.reorg(3, [{ block: 1, transaction: signed }]);
    expect(await chain.check(transfer, WATCHING)).toMatchObject({
      type: 'stands',
      transfer: { block: { number: transfer.block.number + 1n } },
    });
    await anvil.reorg(3);
    expect(await chain.check(transfer, WATCHING)).toEqual({ type: 'gone' });
  });
});
