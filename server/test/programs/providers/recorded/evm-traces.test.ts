import { keccak256, stringToHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { fromCallTracer, fromParity, type Frame } from '../../../../src/outside/chains/evm/trace.ts';
import { areMissing, contentsOf, type Raw, recordings } from './recordings.ts';

const DEPOSIT = keccak256(stringToHex('Deposit(address,uint256)'));
const WITHDRAWAL = keccak256(stringToHex('Withdrawal(address,uint256)'));
/** Wrapped native coins: their contracts log every deposit and withdrawal. */
const WRAPPED = ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270'];

describe.skipIf(areMissing)('recorded traces', () => {
  const all = recordings().filter(({ error }) => error === undefined);
  const { blocks, receipts } = contentsOf(all.filter(({ method }) => !/^(debug|trace)_/.test(method)));

  test('move what the balances of the same transactions show', () => {
    const replayed = all.filter(({ method }) => method === 'trace_replayBlockTransactions');
    let changed = 0;
    for (const {
      params: [number],
      result,
    } of replayed) {
      const traces = all.find(({ method, params }) => method === 'trace_block' && params[0] === number)!
        .result as Raw[];
      const inner = fromParity(traces);
      const roots = new Map(
        traces
          .filter(({ traceAddress, type }) => type !== 'reward' && traceAddress.length === 0)
          .map((trace) => [trace.transactionHash, trace]),
      );
      const entries = result as Raw[];
      const producer = mostCommon(
        entries.flatMap(({ stateDiff }) =>
          Object.keys(stateDiff).filter((address) => stateDiff[address].balance !== '='),
        ),
      );
      for (const { transactionHash, stateDiff } of entries) {
        const root = roots.get(transactionHash)!;
        const moved = netOf([...ownMovement(root), ...inner.get(transactionHash)!]);
        for (const [address, { balance }] of Object.entries(stateDiff as Record<string, Raw>)) {
          const difference = balanceChange(balance) - (moved.get(address) ?? 0n);
          // The sender also pays the fee, and the block's producer receives a part of it.
          if (address === root.action.from) expect(difference < 0n, `${transactionHash} ${address}`).toBe(true);
          else if (address === producer) expect(difference >= 0n, `${transactionHash} ${address}`).toBe(true);
          else expect(difference, `${transactionHash} ${address}`).toBe(0n);
          if (balance !== '=') changed += 1;
        }
        for (const [address, net] of moved)
          if (net !== 0n) expect(stateDiff, `${transactionHash} ${address}`).toHaveProperty(address);
      }
    }
    console.info(`${changed} changed balances in ${replayed.length} blocks explained by traces`);
    expect(changed).toBeGreaterThan(500);
  });

  test('say the same in both dialects', () => {
    const both = all
      .filter(({ method }) => method === 'debug_traceTransaction')
      .flatMap(({ params: [txHash], result }) => {
        const flat = all.find((other) => other.method === 'trace_transaction' && other.params[0] === txHash);
        return flat ? [[txHash as string, result, flat.result] as const] : [];
      });
    expect(both.length).toBeGreaterThanOrEqual(1);
    for (const [txHash, tree, flat] of both) {
      const frames = fromParity(flat).get(txHash);
      expect(frames!.length).toBeGreaterThan(0);
      expect(fromCallTracer([{ txHash, result: tree }], [txHash]).get(txHash)).toEqual(frames);
    }
  });

  const trees = all
    .filter(({ method }) => /^debug_traceBlock/.test(method))
    .map(({ file, params, result }) => ({ file, id: params[0] as string, traces: result as Raw[] }));

  test('as trees hold every coin that a call moved whose callers all succeeded', () => {
    let found = 0;
    for (const { id, traces } of trees) {
      const hashes = traces.map((entry, at) => entry.txHash ?? `0x${at.toString(16).padStart(64, '0')}`);
      const read = fromCallTracer(traces, hashes);
      for (const [at, txHash] of hashes.entries()) {
        const expected = byHand(traces[at]!.result);
        expect(
          read.get(txHash)!.map(({ from, to, valueWei }) => `${from} ${to} ${valueWei}`),
          `${id} ${at}`,
        ).toEqual(expected);
        found += expected.length;
      }
    }
    console.info(`${found} inner movements in ${trees.length} blocks of traces`);
    expect(found).toBeGreaterThan(300);
  });

  test('agree with the receipts on every coin that was wrapped or unwrapped', () => {
    let found = 0;
    for (const { id, traces } of trees) {
      const block = blocks.find(({ hash }) => hash === id);
      if (!block) continue;
      const hashes = (block.transactions as Raw[]).map(({ hash }) => hash as string);
      const read = fromCallTracer(traces, hashes);
      for (const [at, txHash] of hashes.entries()) {
        const receipt = receipts.find(({ transactionHash }) => transactionHash === txHash);
        if (!receipt) continue;
        const moved = netOf([
          ...ownMovement({
            ...traces[at]!.result,
            action: { ...traces[at]!.result, value: traces[at]!.result.value ?? '0x0' },
          }),
          ...read.get(txHash)!,
        ]);
        for (const wrapped of WRAPPED) {
          const logs = (receipt.logs as Raw[]).filter(({ address }) => address === wrapped);
          const sum = (topic: string) =>
            logs.filter(({ topics }) => topics[0] === topic).reduce((total, { data }) => total + BigInt(data), 0n);
          expect(moved.get(wrapped) ?? 0n, txHash).toBe(sum(DEPOSIT) - sum(WITHDRAWAL));
          if (sum(DEPOSIT) + sum(WITHDRAWAL) > 0n) found += 1;
        }
      }
    }
    console.info(`${found} transactions wrapped or unwrapped coins, each as its trace shows`);
    expect(found).toBeGreaterThan(50);
  });

  test('of reverted transactions move nothing', () => {
    const flat = all
      .filter(({ method }) => method === 'trace_block' || method === 'trace_transaction')
      .flatMap(({ result }) => result as Raw[]);
    const failed = new Set(
      flat
        .filter(({ traceAddress, error }) => traceAddress.length === 0 && error !== undefined)
        .map(({ transactionHash }) => transactionHash as string),
    );
    const frames = fromParity(flat.filter(({ transactionHash }) => failed.has(transactionHash)));
    expect(failed.size).toBeGreaterThan(40);
    for (const txHash of failed) expect(frames.get(txHash), txHash).toEqual([]);
  });
});

/** The transfer of the outermost call, which the adapters take from the transaction itself. */
function ownMovement({ action, error, type }: Raw): Pick<Frame, 'from' | 'to' | 'valueWei'>[] {
  const isCall = type === 'call' || type === 'CALL';
  return error === undefined && isCall ? [{ from: action.from, to: action.to, valueWei: BigInt(action.value) }] : [];
}

function netOf(movements: readonly Pick<Frame, 'from' | 'to' | 'valueWei'>[]): Map<string, bigint> {
  const net = new Map<string, bigint>();
  const add = (address: string, amount: bigint) => net.set(address, (net.get(address) ?? 0n) + amount);
  for (const { from, to, valueWei } of movements) {
    add(from, -valueWei);
    add(to, valueWei);
  }
  return net;
}

function balanceChange(balance: '=' | Raw): bigint {
  if (balance === '=') return 0n;
  if ('+' in balance) return BigInt(balance['+']);
  if ('-' in balance) return -BigInt(balance['-']);
  return BigInt(balance['*'].to) - BigInt(balance['*'].from);
}

/** By recursion over the raw answer, while the adapter uses a stack. */
function byHand(call: Raw, isRoot = true): string[] {
  if (call.error) return [];
  const movesMoney =
    !isRoot &&
    /^(CALL|CREATE|CREATE2|SELFDESTRUCT)$/.test(call.type) &&
    BigInt(call.value ?? 0) > 0n &&
    call.from.toLowerCase() !== call.to.toLowerCase();
  return [
    ...(movesMoney ? [`${call.from.toLowerCase()} ${call.to.toLowerCase()} ${BigInt(call.value)}`] : []),
    ...((call.calls ?? []) as Raw[]).flatMap((inner) => byHand(inner, false)),
  ];
}

function mostCommon(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)].toSorted(([, a], [, b]) => b.length - a.length)[0]![0];
}
