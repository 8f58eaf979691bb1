import { base58 } from '@scure/base';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Transfer } from '../../../../src/outside/chains/chain.ts';
import { toBlock, toTransaction } from '../../../../src/outside/chains/solana/shapes.ts';
import { MEMO_PROGRAMS, TOKEN_PROGRAM } from '../../../../src/outside/chains/solana/programs.ts';
import { type Solana, watchedMints } from '../../../../src/outside/chains/solana/solana.ts';
import { revertedPayments, transfersOf } from '../../../../src/outside/chains/solana/transfers.ts';
import { areMissing, count, type Raw, recordings } from './recordings.ts';

const NET_INDEX = 1_000_000;

describe.skipIf(areMissing)('recorded Solana transactions', () => {
  const all = recordings(/^solana/);
  const single = all
    .filter(({ method, result }) => method === 'getTransaction' && result !== null)
    .map(({ result }) => result as Raw);
  const inBlocks = all
    .filter(({ method }) => method === 'getBlock')
    .flatMap(({ params: [slot], result }) =>
      ((result as Raw).transactions as Raw[]).map((entry): Raw => ({ ...entry, slot })),
    );
  const transactions = [
    ...new Map(
      [...single, ...inBlocks].filter(({ meta }) => meta !== null).map((raw) => [signatureOf(raw), raw]),
    ).values(),
  ];

  test('are of every version that there is', () => {
    const kinds = transactions.map(
      ({ version, meta }) => `${meta.err === null ? '' : 'failed, '}version ${version ?? 'not named'}`,
    );
    console.info(`${transactions.length} transactions: ${count(kinds)}`);
    expect(new Set(transactions.map(({ version }) => version))).toEqual(new Set([undefined, 'legacy', 0]));
  });

  test('bring each owner of each token as much as their balances grew, and no other owner anything', () => {
    let [gains, spelt] = [0, 0];
    for (const raw of transactions) {
      for (const mint of new Set(balancesOf(raw).map((balance) => balance.mint as string))) {
        const found = read(raw, new Map([[mint, 'USDC']]), allAccounts(raw)).filter(({ asset }) => asset === 'USDC');
        expect(sumByRecipient(found), signatureOf(raw)).toEqual(tokenGains(raw, mint));
        gains += sumByRecipient(found).size;
        spelt += found.filter(({ index }) => index < NET_INDEX).length;
      }
    }
    console.info(`${gains} gains of tokens, ${spelt} of them spelt out by transfer instructions`);
    expect(gains).toBeGreaterThan(100);
    expect(spelt).toBeGreaterThan(50);
  });

  test('bring each account as many lamports as its balance grew, without its fee and what it closed of its own', () => {
    let gains = 0;
    for (const raw of transactions) {
      const found = read(raw, new Map(), allAccounts(raw));
      expect(sumByRecipient(found), signatureOf(raw)).toEqual(lamportGains(raw));
      gains += found.length;
    }
    console.info(`${gains} gains of lamports`);
    expect(gains).toBeGreaterThan(100);
  });

  test('name a sender whose own balance shrank', () => {
    let named = 0;
    for (const raw of transactions) {
      for (const mint of new Set(balancesOf(raw).map((balance) => balance.mint as string))) {
        for (const transfer of read(raw, new Map([[mint, 'USDC']]), allAccounts(raw)).filter(
          ({ asset, from, index }) => asset === 'USDC' && from !== null && index < NET_INDEX,
        )) {
          const accounts = balancesOf(raw).filter(
            (balance) => balance.mint === mint && balance.owner === transfer.from,
          );
          expect(accounts.length, `${signatureOf(raw)} ${transfer.from}`).toBeGreaterThan(0);
          named += 1;
        }
      }
    }
    expect(named).toBeGreaterThan(50);
  });

  test('bring USDC and USDT by their own mints only', () => {
    const mints = watchedMints();
    const found = transactions.flatMap((raw) =>
      read(raw, mints, allAccounts(raw)).filter(({ asset }) => asset !== 'SOL'),
    );
    const expected = transactions.flatMap((raw) =>
      [...mints].flatMap(([mint, asset]) =>
        [...tokenGains(raw, mint)].map(([to, units]) => `${signatureOf(raw)} ${asset} ${to} ${units}`),
      ),
    );
    const summed = Map.groupBy(found, ({ txHash, asset, to }) => `${txHash} ${asset} ${to}`);
    expect(
      [...summed]
        .map(([key, transfers]) => `${key} ${transfers.reduce((total, { amountUnits }) => total + amountUnits, 0n)}`)
        .toSorted(),
    ).toEqual(expected.toSorted());
    expect(expected.length).toBeGreaterThan(20);
  });

  test('bring nothing if they failed', () => {
    const failed = transactions.filter(({ meta }) => meta.err !== null);
    expect(failed.length).toBeGreaterThan(0);
    for (const raw of failed) {
      const watched = allAccounts(raw);
      expect(toTransaction(raw).failed).toBe(true);
      expect(read(raw, new Map(balancesOf(raw).map(({ mint }) => [mint, 'USDC'])), watched)).toEqual([]);
      expect(() => revertedPayments(solanaOf(new Map()), toTransaction(raw), watched)).not.toThrow();
    }
  });

  test('carry as references only read-only keys that sign nothing, and words of memos', () => {
    let carried = 0;
    for (const raw of transactions) {
      const allowed = new Set([
        ...quietKeys(raw),
        ...memosOf(raw).flatMap((memo) => memo.split(/[^1-9A-HJ-NP-Za-km-z]+/)),
      ]);
      for (const wallet of allAccounts(raw)) {
        for (const transfer of read(raw, watchedMints(), new Set([wallet]))) {
          for (const reference of transfer.carried)
            expect(allowed, signatureOf(raw)).toContain(base58.encode(reference));
          carried += transfer.carried.length;
        }
      }
    }
    console.info(`${carried} keys carried where each wallet is watched alone`);
  });

  test('have the hash, parent and time of their block', () => {
    const blocks = all.filter(({ method, result }) => method === 'getBlock' && (result as Raw).blockTime !== null);
    for (const {
      params: [slot],
      result,
    } of blocks) {
      const raw = result as Raw;
      expect(toBlock(raw, BigInt(slot as number))).toEqual({
        slot: BigInt(slot as number),
        hash: raw.blockhash,
        parentSlot: BigInt(raw.parentSlot),
        parentHash: raw.previousBlockhash,
        time: new Date(raw.blockTime * 1000),
      });
    }
    expect(blocks.length).toBeGreaterThanOrEqual(6);
  });
});

function solanaOf(mints: ReadonlyMap<string, 'USDC' | 'USDT'>): Solana {
  return { mints: mints as Solana['mints'], log: pino({ level: 'silent' }), unreadable: new Map(), shown: new Map() };
}

function read(raw: Raw, mints: ReadonlyMap<string, any>, watched: ReadonlySet<string>): Transfer[] {
  const transaction = toTransaction(raw);
  const block = { slot: transaction.slot, hash: 'h', parentSlot: 0n, parentHash: 'p', time: new Date(0) };
  return transfersOf(solanaOf(mints), { transaction, block }, watched);
}

/** The addresses of a transaction in the order of its indexes: its own, then those of look-up tables. */
function keysOf({ transaction, meta }: Raw): string[] {
  return [
    ...transaction.message.accountKeys,
    ...(meta.loadedAddresses?.writable ?? []),
    ...(meta.loadedAddresses?.readonly ?? []),
  ];
}

function balancesOf({ meta }: Raw): Raw[] {
  return [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])].filter(
    ({ programId }) => programId === TOKEN_PROGRAM,
  );
}

function allAccounts(raw: Raw): Set<string> {
  return new Set([...keysOf(raw), ...balancesOf(raw).map(({ owner }) => owner as string)]);
}

function tokenGains(raw: Raw, mint: string): Map<string, bigint> {
  const gains = new Map<string, bigint>();
  const add = (balances: Raw[] | null, sign: bigint) => {
    for (const { owner, uiTokenAmount } of (balances ?? []).filter(
      (balance) => balance.mint === mint && balance.programId === TOKEN_PROGRAM,
    )) {
      gains.set(owner, (gains.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
    }
  };
  add(raw.meta.preTokenBalances, -1n);
  add(raw.meta.postTokenBalances, 1n);
  return new Map([...gains].filter(([, gain]) => gain > 0n && raw.meta.err === null));
}

function lamportGains(raw: Raw): Map<string, bigint> {
  const { preBalances, postBalances, fee, err } = raw.meta;
  const grown = (at: number) => BigInt(postBalances[at]) - BigInt(preBalances[at]) + (at === 0 ? BigInt(fee) : 0n);
  const closed = (owner: string) =>
    ((raw.meta.preTokenBalances ?? []) as Raw[])
      .filter((balance) => balance.owner === owner && balance.programId !== undefined)
      .map(({ accountIndex }) => -grown(accountIndex))
      .filter((lamports) => lamports > 0n)
      .reduce((a, b) => a + b, 0n);
  return new Map(
    keysOf(raw)
      .map((address, at) => [address, grown(at) - closed(address)] as const)
      .filter(([, gain]) => gain > 0n && err === null),
  );
}

function sumByRecipient(transfers: readonly Transfer[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { to, amountUnits } of transfers) sums.set(to, (sums.get(to) ?? 0n) + amountUnits);
  return sums;
}

/** Keys that neither sign nor are written to. */
function quietKeys({ transaction: { message }, meta }: Raw): string[] {
  const { numRequiredSignatures, numReadonlyUnsignedAccounts } = message.header;
  const own = (message.accountKeys as string[]).filter(
    (_, at) => at >= numRequiredSignatures && at >= message.accountKeys.length - numReadonlyUnsignedAccounts,
  );
  return [...own, ...(meta.loadedAddresses?.readonly ?? [])];
}

function memosOf(raw: Raw): string[] {
  const keys = keysOf(raw);
  const inner = ((raw.meta.innerInstructions ?? []) as Raw[]).flatMap(({ instructions }) => instructions as Raw[]);
  return [...(raw.transaction.message.instructions as Raw[]), ...inner]
    .filter(({ programIdIndex }) => MEMO_PROGRAMS.includes(keys[programIdIndex]!))
    .map(({ data }) => Buffer.from(base58.decode(data)).toString('utf8'));
}

function signatureOf(raw: Raw): string {
  return raw.transaction.signatures[0] as string;
}
