import { describe, expect, test } from 'vitest';
import { Spending, takeTurns, type TurnPosition } from './turn.ts';

describe('a turn of verification', () => {
  test('serves accounts in round robin, and the addresses of an account in round robin', () => {
    expect(
      take([...many('a', 'busy', 4), ...many('a', 'quiet', 1), ...many('b', 'own', 2)], {
        account: '',
        addresses: new Map(),
      }),
    ).toEqual(['a busy 0', 'b own 0', 'a quiet 0', 'b own 1', 'a busy 1', 'a busy 2', 'a busy 3']);
  });

  test('begins after the account and the address at which the last turn ended', () => {
    const position: TurnPosition = { account: '', addresses: new Map() };
    const due = [...many('a', 'one', 2), ...many('a', 'two', 2), ...many('b', 'own', 2)];
    expect(take(due, position, 1)).toEqual(['a one 0']);
    expect(take(due, position, 2)).toEqual(['b own 0', 'a two 0']);
    expect(take(due, position, 2)).toEqual(['b own 0', 'a one 0']);
  });

  test.each([
    ['calls', { calls: 10, ms: 0 }],
    ['milliseconds', { calls: 0, ms: 10 }],
  ])("skips an address that has used up its %s, and continues with the account's other addresses", (_, cost) => {
    const due = [...many('a', 'busy', 9), ...many('a', 'quiet', 3)];
    const spending = new Spending({ account: { calls: 1_000, ms: 1_000 }, address: { calls: 20, ms: 20 } });
    expect(
      take(due, { account: '', addresses: new Map() }, 99, spending, (address) => (address === 'busy' ? cost : {})),
    ).toEqual(['a busy 0', 'a quiet 0', 'a busy 1', 'a quiet 1', 'a quiet 2']);
  });

  test('skips an account that has used up its budget, regardless of its number of addresses', () => {
    const due = [...many('a', 'one', 5), ...many('a', 'two', 5), ...many('a', 'three', 5), ...many('b', 'own', 4)];
    const spending = new Spending({ account: { calls: 3, ms: 1_000 }, address: { calls: 2, ms: 1_000 } });
    const taken = take(due, { account: '', addresses: new Map() }, 99, spending, (address) => ({
      calls: address === 'own' ? 0 : 1,
    }));
    expect(taken.filter((one) => one.startsWith('a'))).toEqual(['a one 0', 'a three 0', 'a two 0']);
    expect(taken.filter((one) => one.startsWith('b'))).toHaveLength(4);
  });

  test('verifies a transaction that pays two accounts once, with all of its transfers', () => {
    const both = [due('a', 'one', 'shared'), due('b', 'own', 'shared'), due('b', 'own', 'alone')];
    const taken = [...takeTurns(both, { account: '', addresses: new Map() }, new Spending())];
    expect(taken.map(({ account, transfers }) => [account, transfers.map(({ transfer }) => transfer.to)])).toEqual([
      ['a', ['one', 'own']],
      ['b', ['own']],
    ]);
  });

  test('deletes the position of an account that has nothing due', () => {
    const position = { account: 'x', addresses: new Map([['x', 'old']]) };
    take(many('a', 'one', 1), position);
    expect([...position.addresses]).toEqual([['a', 'one']]);
  });
});

function due(accountId: string, to: string, txHash: string) {
  return { accountId, transfer: { txHash, to } };
}

function many(account: string, address: string, count: number) {
  return Array.from({ length: count }, (_, at) => due(account, address, `${account} ${address} ${at}`));
}

/** The hashes of a turn that ends after `most` items. Each item costs `costOf` its address. */
function take(
  all: ReturnType<typeof due>[],
  position: TurnPosition,
  max = Number.POSITIVE_INFINITY,
  spending = new Spending(),
  costOf: (address: string) => { calls?: number; ms?: number } = () => ({}),
): string[] {
  const hashes: string[] = [];
  for (const { account, address, transfers } of takeTurns(all, position, spending)) {
    hashes.push(transfers[0]?.transfer.txHash ?? '');
    spending.add(account, address, { calls: 0, ms: 0, ...costOf(address) });
    if (hashes.length === max) break;
  }
  return hashes;
}
