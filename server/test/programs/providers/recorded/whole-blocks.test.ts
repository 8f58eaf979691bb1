import { getAddress, keccak256, stringToHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { evmWith } from '../../../support/evm-read.ts';
import type { EvmContext } from '../../../../src/outside/chains/evm/native.ts';
import { readBlocks } from '../../../../src/outside/chains/evm/read-blocks.ts';
import { watchedTokens } from '../../../../src/outside/chains/evm/tokens.ts';
import { createTracer } from '../../../../src/outside/chains/evm/trace.ts';
import { RpcError } from '../../../../src/outside/chains/rpc/errors.ts';
import type { Call, Provider } from '../../../../src/outside/chains/rpc/provider.ts';
import type { Providers } from '../../../../src/outside/chains/rpc/providers.ts';
import { createBudget } from '../../../../src/outside/chains/rpc/budget.ts';
import { createWindow } from '../../../../src/outside/chains/rpc/window.ts';
import { areMissing, contentsOf, type Raw, recordings } from './recordings.ts';
import { ShownBlocks } from '../../../../src/outside/chains/evm/shown-blocks.ts';

const TRANSFER = keccak256(stringToHex('Transfer(address,address,uint256)'));
const TOKENS = watchedTokens('ethereum');

/** Ethereum blocks with recordings of every transaction, receipt and trace, read like a watcher reads them. */
describe.skipIf(areMissing)('whole recorded blocks', () => {
  const all = recordings(/^ethereum-blocks/);
  const { blocks, receipts } = contentsOf(all);
  const receiptByHash = new Map(receipts.map((raw) => [raw.transactionHash, raw]));
  const traces = new Map(
    all
      .filter(({ method }) => method === 'debug_traceBlockByHash')
      .map(({ params, result }) => [params[0], result as Raw[]]),
  );
  const whole = blocks.filter(
    ({ hash, transactions }) =>
      traces.has(hash) && (transactions as Raw[]).every((transaction) => receiptByHash.has(transaction.hash)),
  );

  test('are there', () => {
    expect(whole.length).toBeGreaterThanOrEqual(4);
    expect(whole.flatMap(({ transactions }) => transactions).length).toBeGreaterThan(400);
  });

  test('show every transfer to any address, in a supported token or in Ether, by itself or from inside a contract', async () => {
    let [tokens, own, inner, reverted] = [0, 0, 0, 0];
    for (const block of whole) {
      const expected = (block.transactions as Raw[])
        .flatMap((transaction, at) =>
          byHand(transaction, receiptByHash.get(transaction.hash)!, traces.get(block.hash)![at]!.result),
        )
        // A self-transfer is not income.
        .filter(({ from, to }) => from !== to);
      const watched = new Set(expected.map(({ to }) => getAddress(to)));
      const reading = await read(block, watched);

      expect(
        reading.transfers
          .map(({ txHash, asset, from, to, amountUnits }) => `${txHash} ${asset} ${from} ${to} ${amountUnits}`)
          .toSorted(),
      ).toEqual(
        expected
          .map(
            ({ txHash, asset, from, to, amount }) =>
              `${txHash} ${asset} ${getAddress(from)} ${getAddress(to)} ${amount}`,
          )
          .toSorted(),
      );
      expect(reading.covered).toEqual({
        number: BigInt(block.number),
        hash: block.hash,
        time: new Date(Number(BigInt(block.timestamp)) * 1000),
      });
      // No two transfers of one transaction share a number.
      expect(new Set(reading.transfers.map(({ txHash, index }) => `${txHash} ${index}`)).size).toBe(
        reading.transfers.length,
      );
      expect(reading.reverted.every(({ txHash }) => receiptByHash.get(txHash)!.status === '0x0')).toBe(true);
      tokens += expected.filter(({ asset }) => asset !== 'ETH').length;
      own += expected.filter(({ kind }) => kind === 'own').length;
      inner += expected.filter(({ kind }) => kind === 'inner').length;
      reverted += reading.reverted.length;
    }
    console.info(
      `${whole.length} whole blocks: ${tokens} transfers of USDC and USDT, ${own} of Ether by ` +
        `transactions, ${inner} from inside contracts, ${reverted} reverted payments`,
    );
    expect(Math.min(tokens, own, inner)).toBeGreaterThan(20);
  });

  test('are read although one of their transactions has an unknown form', async () => {
    for (const block of whole) {
      const entries = block.transactions as Raw[];
      const at = entries.findIndex(
        (transaction) => receiptByHash.get(transaction.hash)!.logs.length === 0 && BigInt(transaction.value) === 0n,
      );
      if (at === -1) continue;
      const { hash, blockHash } = entries[at]!;
      const malformed = {
        ...block,
        transactions: entries.with(at, { hash, blockHash, type: '0x99', sender: 'a form of tomorrow' }),
      };
      const watched = new Set(entries.flatMap(({ to }) => (to ? [getAddress(to)] : [])));
      const before = await read(block, watched);
      expect((await read(malformed, watched)).transfers).toEqual(before.transfers);
      expect(before.transfers.length).toBeGreaterThan(0);
    }
  });

  function read(block: Raw, addresses: ReadonlySet<string>) {
    const logs = (block.transactions as Raw[]).flatMap(({ hash }) => receiptByHash.get(hash)!.logs as Raw[]);
    const number = BigInt(block.number);
    const answer = ({ method, params }: Call<unknown>): unknown => {
      if (method === 'eth_getTransactionReceipt') return receiptByHash.get(params[0] as string) ?? null;
      if (method === 'debug_traceBlockByHash') return traces.get(params[0] as string);
      if (method === 'eth_getLogs') {
        const { address, topics } = params[0] as { address: string[]; topics: [string, null?, string[]?] };
        const named = (log: Raw) =>
          address.includes(log.address) &&
          log.topics[0] === topics[0] &&
          (!topics[2] || topics[2].includes(log.topics[2]));
        return logs.filter(named);
      }
      if (method !== 'eth_getBlockByNumber') throw new RpcError(method, -32601, 'not recorded');
      return BigInt(params[0] as string) === number
        ? block
        : { ...block, number: params[0], hash: block.parentHash, transactions: [] };
    };
    const provider = {
      name: 'recording',
      call: async (call: Call<unknown>) => call.parse(answer(call)),
      batch: async (calls: Call<unknown>[]) => calls.map((call) => call.parse(answer(call))),
      attempt: async (calls: Call<unknown>[]) => calls.map((call) => ({ value: call.parse(answer(call)) })),
    } as unknown as Provider;
    const providers = { names: ['recording'] } as unknown as Providers;
    // Above this number of wallets every block is traced, so that no recorded balances are needed.
    const evm = evmWith({ tokens: TOKENS, maxFilteredWallets: 0 });
    const context: EvmContext = {
      evm,
      providers,
      tracer: createTracer(providers),
      shown: new ShownBlocks(),
      balances: new Map(),
      traceBudget: createBudget({ maxStarts: 100, windowMs: 60_000 }),
    };
    return readBlocks(
      context,
      provider,
      {
        after: { number: number - 1n, hash: block.parentHash, time: new Date(0) },
        until: number,
        watched: evm.watchedOf(addresses),
      },
      createWindow(),
    );
  }
});

interface Expected {
  txHash: string;
  asset: string;
  kind: 'token' | 'own' | 'inner';
  from: string;
  to: string;
  amount: bigint;
}

/** What one transaction paid to any address, from the raw answers. */
function byHand(transaction: Raw, receipt: Raw, trace: Raw): Expected[] {
  if (receipt.status !== '0x1') return [];
  const common = { txHash: transaction.hash as string };
  const tokens = (receipt.logs as Raw[])
    .filter(({ address, topics, data }) => TOKENS.has(address) && topics[0] === TRANSFER && BigInt(data) > 0n)
    .map(({ address, topics, data }) => ({
      ...common,
      kind: 'token' as const,
      asset: TOKENS.get(address)!,
      from: `0x${topics[1].slice(-40)}`,
      to: `0x${topics[2].slice(-40)}`,
      amount: BigInt(data),
    }));
  const value = BigInt(transaction.value);
  const own =
    value > 0n && transaction.to
      ? [{ ...common, kind: 'own' as const, asset: 'ETH', from: transaction.from, to: transaction.to, amount: value }]
      : [];
  return [
    ...tokens,
    ...own,
    ...innerOf(trace).map((moved) => ({ ...common, kind: 'inner' as const, asset: 'ETH', ...moved })),
  ];
}

function innerOf(call: Raw): Pick<Expected, 'from' | 'to' | 'amount'>[] {
  if (call.error) return [];
  return ((call.calls ?? []) as Raw[]).flatMap((inner) => {
    const moves =
      !inner.error &&
      ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(inner.type) &&
      BigInt(inner.value ?? 0) > 0n &&
      inner.from !== inner.to;
    return [...(moves ? [{ from: inner.from, to: inner.to, amount: BigInt(inner.value) }] : []), ...innerOf(inner)];
  });
}
