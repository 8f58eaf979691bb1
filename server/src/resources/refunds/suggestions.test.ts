import { describe, expect, test } from 'vitest';
import { suggestRefunds, warnOfRefund } from './suggestions.ts';

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const LOOKALIKE = '0x8617000000000000000000000000000000 070D'.replace(' ', '00');
const STRANGER = '0xde709f2102306220921060314715629080e2fb77';
const sent = (from: string | null, amountUnits: bigint) => ({ from, amountUnits });
const direct = { isRouted: false, isEvm: true, arrivedUnits: 901_000_000n, given: [] as string[] };

describe('suggested recipients of a refund', () => {
  test('each sender once, the largest first, with what they sent together and never more', () => {
    const suggestions = suggestRefunds({
      ...direct,
      transfers: [
        sent(STRANGER, 9_000_000n),
        sent(CUSTOMER, 500_000_000n),
        sent(CUSTOMER.toLowerCase(), 392_000_000n),
        sent(null, 5n),
      ],
    });
    expect(suggestions).toEqual([
      { address: CUSTOMER, kind: 'sender', units: 892_000_000n, isSmall: false, resembles: null },
      { address: STRANGER, kind: 'sender', units: 9_000_000n, isSmall: true, resembles: null },
    ]);
  });

  test.each([
    [45_049_999n, true],
    [45_050_000n, false],
  ])('a contribution of %s of 901.00 is small: %s', (units, isSmall) => {
    const [, second] = suggestRefunds({
      ...direct,
      transfers: [sent(CUSTOMER, 901_000_000n - units), sent(STRANGER, units)],
    });
    expect(second?.isSmall).toBe(isSmall);
  });

  test('an address that begins and ends like a larger sender names it', () => {
    const suggestions = suggestRefunds({
      ...direct,
      transfers: [sent(LOOKALIKE, 9_000_000n), sent(CUSTOMER, 892_000_000n)],
    });
    expect(suggestions.map(({ address, resembles }) => [address, resembles])).toEqual([
      [CUSTOMER, null],
      [LOOKALIKE, CUSTOMER],
    ]);
  });

  test('the address given for refunds comes first for a routed payment, with all that arrived', () => {
    expect(
      suggestRefunds({
        ...direct,
        isRouted: true,
        given: [CUSTOMER, CUSTOMER],
        transfers: [sent(STRANGER, 901_000_000n)],
      }),
    ).toEqual([{ address: CUSTOMER, kind: 'given', units: 901_000_000n, isSmall: false, resembles: null }]);
  });

  test('of a direct payment a given address that sent nothing comes last and has no amount', () => {
    expect(
      suggestRefunds({ ...direct, given: [STRANGER, CUSTOMER], transfers: [sent(CUSTOMER, 901_000_000n)] }),
    ).toEqual([
      { address: CUSTOMER, kind: 'sender', units: 901_000_000n, isSmall: false, resembles: null },
      { address: STRANGER, kind: 'given', units: null, isSmall: false, resembles: null },
    ]);
  });

  test('no suggestion exceeds what arrived', () => {
    expect(suggestRefunds({ ...direct, arrivedUnits: 100n, transfers: [sent(CUSTOMER, 150n)] })[0]?.units).toBe(100n);
  });

  test('on Solana upper and lower case are different addresses', () => {
    expect(
      suggestRefunds({
        ...direct,
        isEvm: false,
        transfers: [sent('AbCdEf', 500_000_000n), sent('aBcDeF', 401_000_000n)],
      }),
    ).toHaveLength(2);
  });
});

describe('warnings of a refund', () => {
  const suggestions = suggestRefunds({
    ...direct,
    transfers: [sent(CUSTOMER, 892_000_000n), sent(STRANGER, 9_000_000n)],
  });
  const warnings = (to: string, units: bigint) => warnOfRefund(suggestions, { to, units, isEvm: true });

  test.each([
    ['all that the customer sent', CUSTOMER, 892_000_000n, []],
    ['a unit more', CUSTOMER, 892_000_001n, ['more_than_sent']],
    ['the whole payment to the small sender', STRANGER, 901_000_000n, ['more_than_sent', 'small_sender']],
    ['what the small sender sent', STRANGER, 9_000_000n, ['small_sender']],
    ['a lookalike that sent nothing', LOOKALIKE, 1n, ['lookalike', 'not_a_sender']],
    ['an address that sent nothing', '0x52908400098527886E0F7030069857D2E4169EE7', 1n, ['not_a_sender']],
  ] as const)('%s', (_what, to, units, expected) => expect(warnings(to, units)).toEqual(expected));

  test('nothing, where no sender is known', () => {
    expect(warnOfRefund([], { to: CUSTOMER, units: 1n, isEvm: true })).toEqual([]);
  });
});
