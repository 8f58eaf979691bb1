import { describe, expect, test } from 'vitest';
import { MAX_ITEM_TRANSFERS, Spending, startOfTurns, takeTurns, type TurnPosition } from './turn.ts';

describe('a turn of verification', () => {
  test('serves accounts in round robin, and the addresses of an account in round robin', () => {
    expect(take([...many('a', 'busy', 4), ...many('a', 'quiet', 1), ...many('b', 'own', 2)], startOfTurns())).toEqual([
      'a busy 0',
      'b own 0',
      'a quiet 0',
      'b own 1',
      'a busy 1',
      'a busy 2',
      'a busy 3',
    ]);
  });

  test('begins after the account and the address at which the last turn ended', () => {
    const position = startOfTurns();
    const due = [...many('a', 'one', 2), ...many('a', 'two', 2), ...many('b', 'own', 2)];
    expect(take(due, position, 1)).toEqual(['a one 0']);
    expect(take(due, position, 2)).toEqual(['b own 0', 'a two 0']);
    expect(take(due, position, 2)).toEqual(['b own 1', 'a one 1']);
  });

  test('serves each transfer of an address once before one is served again, and then begins with the oldest', () => {
    const position = startOfTurns();
    const undecided = many('a', 'own', 5);
    expect(take(undecided, position, 2)).toEqual(['a own 0', 'a own 1']);
    const older = due('a', 'own', 'read late');
    expect(take([older, ...undecided], position, 2)).toEqual(['a own 2', 'a own 3']);
    expect(take([older, ...undecided], position, 2)).toEqual(['a own 4', 'read late']);
    expect(take([older, ...undecided], position, 2)).toEqual(['read late', 'a own 0']);
  });

  test('begins with the oldest again after a turn that served everything', () => {
    const position = startOfTurns();
    const all = many('a', 'own', 3);
    expect(take(all, position)).toEqual(['a own 0', 'a own 1', 'a own 2']);
    expect(take(all, position)).toEqual(['a own 0', 'a own 1', 'a own 2']);
  });

  test('a transaction with many transfers is served in parts, and other accounts and addresses between them', () => {
    const large = Array.from({ length: 2.5 * MAX_ITEM_TRANSFERS }, () => due('a', 'busy', 'large'));
    const all = [...large, ...many('a', 'quiet', 1), ...many('b', 'own', 2)];
    const parts = [...takeTurns(all, startOfTurns(), new Spending())];
    expect(parts.map(({ address, transfers }) => [address, transfers.length])).toEqual([
      ['busy', MAX_ITEM_TRANSFERS],
      ['own', 1],
      ['quiet', 1],
      ['own', 1],
      ['busy', MAX_ITEM_TRANSFERS],
      ['busy', MAX_ITEM_TRANSFERS / 2],
    ]);
    expect(new Set(parts.flatMap(({ transfers }) => transfers)).size).toBe(all.length);
  });

  test('the budget of an address ends a large transaction, and the next turn continues with its other transfers', () => {
    const large = Array.from({ length: 3 * MAX_ITEM_TRANSFERS }, () => due('a', 'busy', 'large'));
    const position = startOfTurns();
    const served: unknown[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const spending = new Spending({ account: { calls: 1, ms: 1_000 }, address: { calls: 1, ms: 1_000 } });
      for (const { account, address, transfers } of takeTurns(large, position, spending)) {
        served.push(...transfers.map(({ transfer }) => transfer.id));
        spending.add(account, address, { calls: 1, ms: 0 });
      }
    }
    expect(served).toEqual(large.map(({ transfer }) => transfer.id));
  });

  test('an address is served with its own transfers first, however many others its transaction pays', () => {
    const large = Array.from({ length: 3 * MAX_ITEM_TRANSFERS }, () => due('b', 'busy', 'large'));
    const own = due('a', 'own', 'large');
    const [first] = takeTurns([...large, own], startOfTurns(), new Spending());
    expect(first?.transfers[0]).toBe(own);
    expect(first?.transfers).toHaveLength(MAX_ITEM_TRANSFERS);
  });

  test.each([
    ['calls', { calls: 10, ms: 0 }],
    ['milliseconds', { calls: 0, ms: 10 }],
  ])("skips an address that has used up its %s, and continues with the account's other addresses", (_, cost) => {
    const due = [...many('a', 'busy', 9), ...many('a', 'quiet', 3)];
    const spending = new Spending({ account: { calls: 1_000, ms: 1_000 }, address: { calls: 20, ms: 20 } });
    expect(take(due, startOfTurns(), 99, spending, (address) => (address === 'busy' ? cost : {}))).toEqual([
      'a busy 0',
      'a quiet 0',
      'a busy 1',
      'a quiet 1',
      'a quiet 2',
    ]);
  });

  test('skips an account that has used up its budget, regardless of its number of addresses', () => {
    const due = [...many('a', 'one', 5), ...many('a', 'two', 5), ...many('a', 'three', 5), ...many('b', 'own', 4)];
    const spending = new Spending({ account: { calls: 3, ms: 1_000 }, address: { calls: 2, ms: 1_000 } });
    const taken = take(due, startOfTurns(), 99, spending, (address) => ({
      calls: address === 'own' ? 0 : 1,
    }));
    expect(taken.filter((one) => one.startsWith('a'))).toEqual(['a one 0', 'a three 0', 'a two 0']);
    expect(taken.filter((one) => one.startsWith('b'))).toHaveLength(4);
  });

  test('verifies a transaction that pays two accounts once, with all of its transfers', () => {
    const both = [due('a', 'one', 'shared'), due('b', 'own', 'shared'), due('b', 'own', 'alone')];
    const taken = [...takeTurns(both, startOfTurns(), new Spending())];
    expect(taken.map(({ account, transfers }) => [account, transfers.map(({ transfer }) => transfer.to)])).toEqual([
      ['a', ['one', 'own']],
      ['b', ['own']],
    ]);
  });

  test('deletes the position of an account that has nothing due', () => {
    const position = {
      account: 'x',
      addresses: new Map([['x', 'old']]),
      rounds: new Map([['x old', new Set(['old transfer'])]]),
    };
    take(many('a', 'one', 1), position);
    expect([...position.addresses]).toEqual([['a', 'one']]);
  });
});

let transfers = 0;

function due(accountId: string, to: string, txHash: string) {
  transfers += 1;
  return { accountId, transfer: { id: `transfer ${transfers}`, txHash, to } };
}

function many(account: string, address: string, count: number) {
  return Array.from({ length: count }, (_, at) => due(account, address, `${account} ${address} ${at}`));
}

/** The hashes of a turn that ends after `max` items. Each item costs `costOf` its address. */
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
