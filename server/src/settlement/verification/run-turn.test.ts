import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Verdict } from '../../outside/chains/chain.ts';
import { runTurn, type Turn } from './run-turn.ts';
import { Spending, startOfTurns } from './turn.ts';

const VERDICT: Verdict = { type: 'unknown', details: '' };

describe('a turn of verification', () => {
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => vi.restoreAllMocks());

  test('charges the time of applying verdicts to the address and the account', async () => {
    const turn = newTurn({ ms: 3_000 });
    const applied = await run([...many('a', 'busy', 30), ...many('b', 'quiet', 1)], turn, {
      applyMs: (name) => (name.startsWith('a') ? 1_000 : 0),
    });
    expect(applied.filter((name) => name.startsWith('a'))).toHaveLength(7);
    expect(applied).toContain('b quiet 0');
  });

  test('ends between the items that were checked together, and the next turn begins with the others', async () => {
    const turn = newTurn();
    const due = Array.from({ length: 10 }, (_, at) => many(`account ${at}`, 'own', 1)).flat();
    const first = await run(due, { ...turn, deadlineMs: 2_000 }, { applyMs: () => 1_000 });
    expect(first).toEqual(['account 0 own 0', 'account 1 own 0']);
    const second = await run(due, { ...turn, deadlineMs: nowMs + 2_000 }, { applyMs: () => 1_000 });
    expect(second).toEqual(['account 2 own 0', 'account 3 own 0']);
  });

  test('the next turn begins with the transfers of an address that were checked and not applied', async () => {
    const turn = newTurn();
    const due = many('a', 'own', 10);
    expect(await run(due, { ...turn, deadlineMs: 2_000 }, { applyMs: () => 1_000 })).toEqual(['a own 0', 'a own 1']);
    const second = await run(due, { ...turn, deadlineMs: nowMs + 2_000 }, { applyMs: () => 1_000 });
    expect(second).toEqual(['a own 2', 'a own 3']);
  });

  test('applies all verdicts that came together, if the checks used up the turn and not the verdicts', async () => {
    const due = many('a', 'own', 20);
    const applied = await run(due, { ...newTurn(), deadlineMs: 2_000 }, { checkMs: 5_000, applyMs: () => 10 });
    expect(applied).toHaveLength(8);
  });

  test('reports a failed check for each transfer, and continues with the others', async () => {
    const failed: string[] = [];
    const applied: string[] = [];
    await runTurn([...many('a', 'own', 1), ...many('b', 'own', 1)], newTurn(), {
      check: async ({ account }) => {
        if (account === 'a') throw new Error('the provider is down');
        return [VERDICT];
      },
      apply: async ({ transfer }) => void applied.push(transfer.txHash),
      failed: async ({ transfer }) => void failed.push(transfer.txHash),
    });
    expect([failed, applied]).toEqual([['a own 0'], ['b own 0']]);
  });

  function newTurn(budget?: { ms: number }): Turn {
    const limit = { calls: 1_000, ms: budget?.ms ?? 1_000_000 };
    return {
      maxItems: 100,
      deadlineMs: 1_000_000,
      position: startOfTurns(),
      spending: new Spending({ account: { ...limit, ms: 1_000_000 }, address: limit }),
    };
  }

  /** The names of the applied transfers. */
  async function run(
    due: readonly Waiting[],
    turn: Turn,
    { checkMs = 0, applyMs }: { checkMs?: number; applyMs(name: string): number },
  ): Promise<string[]> {
    const applied: string[] = [];
    let isChecked = false;
    await runTurn(due, turn, {
      check: async () => {
        if (!isChecked) nowMs += checkMs;
        isChecked = true;
        return [VERDICT];
      },
      apply: async ({ transfer }) => {
        applied.push(transfer.txHash);
        nowMs += applyMs(transfer.txHash);
      },
      failed: async () => {},
    });
    return applied;
  }
});

type Waiting = ReturnType<typeof many>[number];

function many(accountId: string, to: string, count: number) {
  return Array.from({ length: count }, (_, at) => {
    const name = `${accountId} ${to} ${at}`;
    return { accountId, transfer: { id: name, txHash: name, to } };
  });
}
