import { type Hex, keccak256, parseTransaction, recoverAddress, serializeTransaction, toRlp } from 'viem';
import { describe, expect, test } from 'vitest';
import { toBlock, toFullBlock, toTransaction } from '../../../../src/outside/chains/evm/shapes.ts';
import { areMissing, contentsOf, count, type Raw, recordings } from './recordings.ts';

// A hash commits to everything below it, so it proves that the parsed fields are those of the chain. These recordings
// do not have the hash that they claim: their source cut or edited them, or left out fields of the header.
const EDITED_BLOCKS = ['0x152dd4a', '0xacc290', '0x24ddbe0'];
const EDITED_TRANSACTIONS = ['0x3e88cd74', '0xe67071db'];
/** Unsigned transactions of the rollups themselves. Polygon's have no sender either. */
const UNSIGNED = new Set(['0x6a', '0x78', '0x7e', undefined]);
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;

describe.skipIf(areMissing)('hashes of recorded answers', () => {
  const { blocks, transactions } = contentsOf(recordings());
  const signed = transactions.filter(
    (raw) => !UNSIGNED.has(raw.type) && raw.from !== ZERO_ADDRESS && raw.r !== undefined,
  );

  test("a block's hash is that of the number, parent and time that we read", () => {
    const wrong = blocks.filter((raw) => {
      const { number, parentHash, time, hash } =
        Array.isArray(raw.transactions) && typeof raw.transactions[0] === 'object' ? toFullBlock(raw) : toBlock(raw);
      return headerHash({ ...raw, number, parentHash, timestamp: BigInt(time.getTime()) / 1000n }) !== hash;
    });
    console.info(`${blocks.length - wrong.length} of ${blocks.length} block hashes computed again`);
    expect(wrong.map(({ number }) => (number as string).toLowerCase()).toSorted()).toEqual(EDITED_BLOCKS.toSorted());
    expect(blocks.length).toBeGreaterThanOrEqual(140);
  });

  test("a transaction's hash is that of the recipient, value and calldata that we read", () => {
    const wrong = signed.filter((raw) => {
      const { to, valueWei, input, hash } = toTransaction(raw);
      return keccak256(serialized({ ...raw, to, value: valueWei, input })) !== hash;
    });
    console.info(
      `${signed.length - wrong.length} of ${signed.length} transaction hashes computed again: ` +
        `${count(signed.map(({ type }) => `type ${type}`))}`,
    );
    expect(wrong.map(({ hash }) => (hash as string).slice(0, 10)).toSorted()).toEqual(EDITED_TRANSACTIONS);
    expect(signed.length).toBeGreaterThan(5_000);
  });

  test("a transaction's sender is who signed it", async () => {
    // Recovering takes a millisecond each, so a part of every type has to be enough.
    const whole = signed.filter(({ hash }) => !EDITED_TRANSACTIONS.includes((hash as string).slice(0, 10)));
    const sample = [...Map.groupBy(whole, ({ type }) => type as string).values()].flatMap((alike) =>
      alike.filter((_, at) => at % Math.ceil(alike.length / 60) === 0),
    );
    for (const raw of sample) {
      const unsigned = serializeTransaction({
        ...parseTransaction(serialized(raw)),
        r: undefined,
        s: undefined,
        v: undefined,
        yParity: undefined,
      } as never);
      const signer = await recoverAddress({
        hash: keccak256(unsigned),
        signature: { r: padded(raw.r), s: padded(raw.s), yParity: parity(raw) },
      });
      expect(signer.toLowerCase(), raw.hash).toBe(toTransaction(raw).from);
    }
    expect(sample.length).toBeGreaterThan(100);
  });
});

/** The header as the chain hashes it; fields of later forks follow if the block has them. */
function headerHash(raw: Raw): string {
  const added = [
    raw.baseFeePerGas && quantity(raw.baseFeePerGas),
    raw.withdrawalsRoot,
    raw.blobGasUsed && quantity(raw.blobGasUsed),
    raw.excessBlobGas && quantity(raw.excessBlobGas),
    raw.parentBeaconBlockRoot,
    raw.requestsHash,
  ];
  return keccak256(
    toRlp([
      raw.parentHash,
      raw.sha3Uncles,
      raw.miner,
      raw.stateRoot,
      raw.transactionsRoot,
      raw.receiptsRoot,
      raw.logsBloom,
      quantity(raw.difficulty),
      quantity(raw.number),
      quantity(raw.gasLimit),
      quantity(raw.gasUsed),
      quantity(raw.timestamp),
      raw.extraData,
      raw.mixHash,
      raw.nonce,
      ...added.filter((field) => field !== undefined && field !== null),
    ]),
  );
}

const TYPES: Record<string, string> = {
  '0x0': 'legacy',
  '0x1': 'eip2930',
  '0x2': 'eip1559',
  '0x3': 'eip4844',
  '0x4': 'eip7702',
};

function serialized(raw: Raw): Hex {
  const type = TYPES[raw.type]!;
  const signature =
    type === 'legacy' ? { r: raw.r, s: raw.s, v: BigInt(raw.v) } : { r: raw.r, s: raw.s, yParity: parity(raw) };
  return serializeTransaction(
    {
      type,
      chainId:
        type === 'legacy'
          ? BigInt(raw.v) >= 35n
            ? Number((BigInt(raw.v) - 35n) / 2n)
            : undefined
          : Number(raw.chainId),
      to: raw.to,
      value: BigInt(raw.value),
      data: raw.input,
      nonce: Number(raw.nonce),
      gas: BigInt(raw.gas),
      ...(type === 'legacy' || type === 'eip2930'
        ? { gasPrice: BigInt(raw.gasPrice) }
        : { maxFeePerGas: BigInt(raw.maxFeePerGas), maxPriorityFeePerGas: BigInt(raw.maxPriorityFeePerGas) }),
      ...(type !== 'legacy' && { accessList: raw.accessList ?? [] }),
      ...(type === 'eip4844' && {
        blobVersionedHashes: raw.blobVersionedHashes,
        maxFeePerBlobGas: BigInt(raw.maxFeePerBlobGas),
      }),
      ...(type === 'eip7702' && {
        authorizationList: raw.authorizationList.map((entry: Raw) => ({
          ...entry,
          chainId: Number(entry.chainId),
          nonce: Number(entry.nonce),
          yParity: Number(entry.yParity),
        })),
      }),
    } as never,
    signature as never,
  );
}

function parity(raw: Raw): 0 | 1 {
  const v = BigInt(raw.yParity ?? raw.v);
  return Number(v >= 27n ? (v + 1n) % 2n : v) as 0 | 1;
}

function padded(value: string): Hex {
  return `0x${value.slice(2).padStart(64, '0')}`;
}

function quantity(value: string | bigint): Hex {
  const digits = BigInt(value).toString(16);
  return BigInt(value) === 0n ? '0x' : `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}
