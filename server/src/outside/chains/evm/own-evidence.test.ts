import { describe, expect, test } from 'vitest';
import { SHOP, txHash } from '../../../../test/support/evm-answers.ts';
import {
  at,
  INSIDE,
  insideChain,
  type InsideNode,
  PAID_IN,
  real,
  until,
} from '../../../../test/support/inside-payment.ts';
import type { Chain, Reading, Transfer } from '../chain.ts';

const zero = () => 0n;
const honest: InsideNode = { balance: real };
const pruned: InsideNode = { balance: null };
const watching = { addresses: new Set([SHOP]) };

const growth = (number: number, amountUnits: bigint): Transfer => ({
  network: 'ethereum',
  txHash: `block:${number}:${SHOP}`,
  index: 0,
  asset: 'ETH',
  from: null,
  to: SHOP,
  amountUnits,
  block: at(number),
  carried: [],
  untraced: true,
});
const brief = ({ provider, transfers, unseen = [] }: Reading) => ({
  provider,
  found: transfers.map(({ txHash: hash, amountUnits }) => [hash, amountUnits]),
  unseen: unseen.map(({ from, to }) => [from.number, to.number]),
});
const GROWN = [[`block:${PAID_IN}:${SHOP}`, INSIDE]];
const TRACED = [[txHash(PAID_IN), INSIDE]];

/** What each pass reads of blocks 4 to 6. */
async function readTwice(chain: Chain) {
  const step = { after: at(3), until: until(6), watching };
  const first = await chain.read({ ...step, pass: 'first' });
  const second = await chain.read({ ...step, pass: 'second', firstReader: first.provider });
  return [brief(first), brief(second)];
}

describe('ether from a contract is read by the balances and traces of one provider', () => {
  test('so that balances which another one claimed before it failed hide nothing', async () => {
    const liar: InsideNode = { balance: () => 10n ** 18n };
    const chain = insideChain({ liar, honest });
    const quiet = await chain.read({ after: at(3), until: until(4), watching, pass: 'first' });
    expect([quiet.provider, quiet.covered.number]).toEqual(['liar', 4n]);
    liar.isDown = true;
    const paid = await chain.read({ after: at(4), until: until(6), watching, pass: 'first' });
    expect(brief(paid)).toEqual({ provider: 'honest', found: GROWN, unseen: [] });
  });

  test.each([
    ['the second pass has no balances', zero, null, [], [[4n, 6n]]],
    ['the first pass has no balances', null, zero, [[4n, 6n]], []],
  ] as const)('so that those of the other pass do not count twice: %s', async (_, first, second, ...unseen) => {
    expect(await readTwice(insideChain({ first: { balance: first }, second: { balance: second } }))).toEqual([
      { provider: 'first', found: [], unseen: unseen[0] },
      { provider: 'second', found: [], unseen: unseen[1] },
    ]);
  });

  test.each([
    ['nothing', 0n],
    ['a part', 1n],
    ['more', INSIDE + 1n],
  ])("so that another one's trace of %s does not explain what its own balances show", async (_, traces) => {
    const [, second] = await readTwice(insideChain({ liar: { balance: zero, traces }, honest }));
    expect(second).toEqual({ provider: 'honest', found: GROWN, unseen: [] });
  });

  test('which the trace of another one names where it shows exactly that', async () => {
    const chain = insideChain({
      honest,
      liar: { balance: real, traces: 0n },
      tracer: { balance: null, traces: INSIDE },
    });
    expect((await readTwice(chain))[0]).toEqual({ provider: 'honest', found: TRACED, unseen: [] });
  });

  test('of which its own trace may leave out a part: then the growth is read as well', async () => {
    const [first] = await readTwice(insideChain({ own: { balance: real, traces: 1n } }));
    expect(first?.found).toEqual([[txHash(PAID_IN), 1n], ...GROWN]);
  });

  test('also for very many wallets, where a trace of another one replaces no balances', async () => {
    const [, second] = await readTwice(insideChain({ liar: { balance: zero, traces: 0n }, honest }, 0));
    expect(second).toEqual({ provider: 'honest', found: GROWN, unseen: [] });
  });
});

describe('a growth of a balance is reported by each provider from its own', () => {
  const invented = growth(2, 999n);
  const inventor: InsideNode = { balance: (number) => (number >= 2 ? 999n : 0n) };

  test.each([
    ['two', {}],
    ['three', { other: { balance: zero } }],
  ])('one that only one of %s can show does not stand, while another one cannot tell', async (_, more) => {
    const chain = insideChain({ inventor, pruned, ...more });
    expect(await chain.check(invented, watching)).toMatchObject({ type: 'wait' });
  });

  test('a denial that only one of three can show is not two', async () => {
    const chain = insideChain({ liar: { balance: zero }, pruned, honest });
    expect(await chain.check(growth(PAID_IN, INSIDE), watching)).toMatchObject({ type: 'wait' });
  });

  test('one that cannot tell does not hold what a majority shows, and is not paused for it', async () => {
    const chain = insideChain({ pruned, honest, other: { balance: real } });
    const verdict = await chain.check(growth(PAID_IN, INSIDE), watching);
    expect(verdict).toMatchObject({ type: 'stands', providers: ['honest', 'other'] });
    expect(chain.health().providers.every(({ healthy }) => healthy)).toBe(true);
  });

  test.each([0n, 1n, INSIDE + 1n])(
    'a trace of one of three, of %i, does not hold what two others show',
    async (traces) => {
      const chain = insideChain({ honest, other: { balance: real }, liar: { balance: zero, traces } });
      const verdict = await chain.check(growth(PAID_IN, INSIDE), watching);
      expect(verdict).toMatchObject({ type: 'stands', providers: ['honest', 'other'] });
    },
  );

  test('it is gone once a trace shows exactly that', async () => {
    const chain = insideChain({ honest, other: { balance: real }, tracer: { balance: null, traces: INSIDE } });
    const verdict = await chain.check(growth(PAID_IN, INSIDE), watching);
    expect(verdict).toMatchObject({ type: 'gone', instead: [{ txHash: txHash(PAID_IN), amountUnits: INSIDE }] });
  });
});

describe('a transaction that may have paid through a contract', () => {
  const look = (nodes: Record<string, InsideNode>) => insideChain(nodes).transaction(txHash(PAID_IN), watching);

  test('moved nothing only by the balances or the trace of each provider that says so', async () => {
    expect(await look({ one: { balance: zero }, two: { balance: zero } })).toMatchObject({ transfers: [] });
    await expect(look({ pruned })).rejects.toThrow('does not show');
    await expect(look({ liar: { balance: zero }, pruned })).rejects.toThrow('does not show');
    await expect(look({ liar: { balance: zero, traces: 0n }, pruned })).rejects.toThrow('does not show');
  });

  test('is not called empty by a provider whose balance has grown and that does not trace', async () => {
    await expect(look({ honest, liar: { balance: zero } })).rejects.toThrow('does not show');
  });

  test('is found by the one that traces', async () => {
    const found = await look({ pruned, liar: { balance: zero }, tracer: { balance: null, traces: INSIDE } });
    expect(found).toMatchObject({ provider: 'tracer', transfers: [{ amountUnits: INSIDE }] });
  });
});
