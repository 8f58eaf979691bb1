import { concatHex, getAddress, type Hex, keccak256, numberToHex, stringToHex } from 'viem';
import { describe, expect, test } from 'vitest';
import type { Transfer } from '../../../../src/outside/chains/chain.ts';
import { evmWith } from '../../../support/evm-read.ts';
import { createWatchedOf, type Evm, type WatchedWallets } from '../../../../src/outside/chains/evm/evm.ts';
import { transferLogs } from '../../../../src/outside/chains/evm/logs.ts';
import {
  type Block,
  toBlock,
  toReceipt,
  toTransaction,
  type Transaction,
} from '../../../../src/outside/chains/evm/shapes.ts';
import { stateSyncTransaction } from '../../../../src/outside/chains/evm/state-sync.ts';
import { transfersOf } from '../../../../src/outside/chains/evm/transfers.ts';
import { areMissing, contentsOf, count, type Raw, recordings } from './recordings.ts';

const TRANSFER = keccak256(stringToHex('Transfer(address,address,uint256)'));

function isToItself(line: string): boolean {
  const [from, to] = line.split(' ');
  return from === to;
}

describe.skipIf(areMissing)('recorded receipts', () => {
  const all = recordings();
  const { blocks, transactions, receipts } = contentsOf(all);
  const blockByHash = new Map(blocks.map((raw) => [raw.hash, raw]));
  const transactionByHash = new Map(transactions.map((raw) => [raw.hash, raw]));

  test('show the token transfers that their raw logs spell out, whatever the token, and none if reverted', () => {
    let found = 0;
    for (const raw of receipts) {
      // A self-transfer is not income.
      const expected = raw.status === '0x1' ? tokensByHand(raw).filter((line) => !isToItself(line)) : [];
      const read = readAll(raw).filter(({ index }) => index < 1_000_000);
      expect(read.map(summary), raw.transactionHash).toEqual(expected);
      found += expected.length;
    }
    console.info(
      `${found} token transfers in ${receipts.length} receipts: ${count(receipts.map(({ status }) => `status ${status ?? 'none'}`))}`,
    );
    expect(found).toBeGreaterThan(2_000);
  });

  test('show the value that their transaction moved by itself, and none if reverted', () => {
    const pairs = receipts.filter(({ transactionHash }) => transactionByHash.has(transactionHash));
    let found = 0;
    for (const raw of pairs) {
      const { from, to, value } = transactionByHash.get(raw.transactionHash)!;
      const expected =
        raw.status === '0x1' && to != null && BigInt(value) > 0n && from !== to
          ? [`${getAddress(from)} ${getAddress(to)} ${BigInt(value)}`]
          : [];
      expect(
        readAll(raw)
          .filter(({ index }) => index >= 1_000_000)
          .map(summary),
        raw.transactionHash,
      ).toEqual(expected);
      found += expected.length;
    }
    console.info(`${found} native transfers by ${pairs.length} transactions with their receipts`);
    expect(found).toBeGreaterThan(200);
  });

  test("of reverted transactions pay nothing even with Polygon's fee log, and without a status nothing either", () => {
    const [reverted, unknown] = [
      receipts.filter(({ status }) => status === '0x0'),
      receipts.filter(({ status }) => status == null),
    ];
    expect(reverted.length).toBeGreaterThan(40);
    expect(unknown.length).toBeGreaterThan(250);
    expect(reverted.filter(({ logs }) => logs.length > 0)).toHaveLength(2);
    for (const raw of reverted) expect([toReceipt(raw).succeeded, readAll(raw)]).toEqual([false, []]);
    for (const raw of unknown) expect([toReceipt(raw).succeeded, readAll(raw)]).toEqual([null, []]);
  });

  test('name the block, its number and its time', () => {
    const placed = receipts.filter(({ blockHash }) => blockByHash.has(blockHash));
    for (const raw of placed) {
      const block = blockByHash.get(raw.blockHash)!;
      for (const transfer of readAll(raw)) {
        expect(transfer.block).toEqual({
          number: BigInt(raw.blockNumber),
          hash: block.hash,
          time: new Date(Number(BigInt(block.timestamp)) * 1000),
        });
      }
    }
    expect(placed.length).toBeGreaterThan(800);
  });

  test("of Polygon's messages from Ethereum have the hash that follows from their block", () => {
    const messages = receipts
      .filter(({ from, to, gasUsed }) => Number(from) === 0 && Number(to) === 0 && gasUsed === '0x0')
      .map(toReceipt);
    const derived = messages.filter((receipt) => stateSyncTransaction(evmOf([]), receipt) !== null);
    const byHand = messages.filter(
      ({ blockNumber, blockHash, txHash }) =>
        keccak256(
          concatHex([stringToHex('matic-bor-receipt-'), numberToHex(blockNumber, { size: 8 }), blockHash as Hex]),
        ) === txHash,
    );
    expect(derived).toEqual(byHand);
    expect(derived.length).toBeGreaterThanOrEqual(4);
    for (const receipt of derived) {
      const raw = transactionByHash.get(receipt.txHash);
      // The source of block 38,656,992 wrote another transaction's calldata into it.
      if (raw)
        expect(stateSyncTransaction(evmOf([]), receipt)).toEqual({
          ...toTransaction(raw),
          ...(raw.blockNumber === '0x24ddbe0' && { input: '0x' }),
        });
    }
  });

  test('hold every log that eth_getLogs returned for the same transaction', () => {
    const answers = all.filter(({ method, error }) => method === 'eth_getLogs' && error === undefined);
    let found = 0;
    for (const { result } of answers) {
      const raw = (result ?? []) as Raw[];
      const transfers = raw.filter(
        (log) =>
          log.topics[0] === TRANSFER && log.topics.length === 3 && log.data.length === 66 && BigInt(log.data) > 0n,
      );
      const watched = watch(transfers.map((log) => `0x${log.topics[2].slice(26)}`));
      const evm = evmOf(raw.map(({ address }) => address));
      const [question] = transferLogs(evm, watched, { from: 0n, to: 1n << 60n, everything: true });
      if (!question) continue;
      expect(question.parse(result).map(({ txHash, logIndex, data }) => [txHash, logIndex, data])).toEqual(
        transfers.map((log) => [log.transactionHash, Number(log.logIndex), log.data]),
      );
      found += transfers.length;
    }
    console.info(`${found} transfers among the logs of ${answers.length} answers`);
    expect(found).toBeGreaterThan(100);
  });

  test('carry no reference of this service', () => {
    expect(receipts.flatMap(readAll).filter(({ carried }) => carried.length > 0)).toEqual([]);
  });

  /** Everything that a receipt shows if every contract is a supported token and every address is watched. */
  function readAll(raw: Raw): Transfer[] {
    const receipt = toReceipt(raw);
    const known = transactionByHash.get(raw.transactionHash);
    const transaction: Transaction = known
      ? toTransaction(known)
      : {
          hash: receipt.txHash,
          blockNumber: receipt.blockNumber,
          blockHash: receipt.blockHash,
          from: raw.from,
          to: raw.to,
          valueWei: 0n,
          input: '0x',
        };
    const rawBlock = blockByHash.get(raw.blockHash);
    const block: Block = rawBlock
      ? toBlock(rawBlock)
      : { number: receipt.blockNumber, hash: receipt.blockHash, parentHash: receipt.blockHash, time: new Date(0) };
    const addresses = receipt.logs.flatMap(({ topics }) => topics.slice(1)).map((topic) => `0x${topic.slice(26)}`);
    return transfersOf(
      evmOf(receipt.logs.map(({ address }) => address)),
      { transaction, receipt, block },
      watch([...addresses, ...(transaction.to ? [transaction.to] : [])]),
    );
  }
});

function evmOf(tokens: readonly string[]): Evm {
  return evmWith({
    network: 'polygon',
    chainId: 137,
    tokens: new Map(tokens.map((address) => [address.toLowerCase(), 'USDC'])),
  });
}

function watch(addresses: readonly string[]): WatchedWallets {
  return createWatchedOf()(new Set(addresses.map((address) => getAddress(address))));
}

/** From the raw logs in the answer: three topics, one word of data, in the order of the log's index. */
function tokensByHand(raw: Raw): string[] {
  return (raw.logs as Raw[])
    .toSorted((a, b) => Number(a.logIndex) - Number(b.logIndex))
    .filter(
      ({ topics, data }) =>
        topics[0] === TRANSFER && topics.length === 3 && /^0x[0-9a-f]{64}$/.test(data) && BigInt(data) > 0n,
    )
    .map(
      ({ topics, data }) =>
        `${getAddress(`0x${topics[1].slice(-40)}`)} ${getAddress(`0x${topics[2].slice(-40)}`)} ${BigInt(data)}`,
    );
}

function summary({ from, to, amountUnits }: Transfer): string {
  return `${from} ${to} ${amountUnits}`;
}
