import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attribute, type Claimant, type Clues } from './attribute.ts';
import { WALLET, created, claimant, transfer } from './attribute-fixtures.ts';

test('no combination of clues gives money to a payment of another wallet, asset or network, or to one that is paid or refunded', () => {
  const anyClaimant = fc
    .record({
      paymentId: fc.constantFrom('pay_a', 'pay_b', 'pay_c'),
      status: fc.constantFrom(
        'created',
        'pending',
        'routing',
        'settling',
        'paid',
        'failed',
        'expired',
        'refund_required',
        'refunded',
      ),
      receiveAsset: fc.constantFrom('USDC', 'USDT'),
      receiveNetwork: fc.constantFrom('ethereum', 'base'),
      receiveAddress: fc.constantFrom(WALLET, '0x2222222222222222222222222222222222222222'),
      acceptsDirect: fc.boolean(),
    })
    .map((changes) => claimant(changes as Partial<Claimant>));
  const anyClues = fc.record({
    reserved: fc.option(
      fc.record({
        claimant: anyClaimant,
        purpose: fc.constantFrom('target', 'remainder', 'route_output'),
        targetId: fc.constant(null),
        since: fc.constant(created),
        until: fc.constant(null),
      }),
      { nil: null },
    ),
    authorized: fc.array(anyClaimant, { maxLength: 2 }),
    referenced: fc.array(anyClaimant, { maxLength: 3 }),
    unproven: fc.array(anyClaimant, { maxLength: 4 }),
    senders: fc.array(anyClaimant, { maxLength: 3 }),
    claimed: fc.array(anyClaimant, { maxLength: 2 }),
    former: fc.option(fc.record({ claimant: anyClaimant, by: fc.constantFrom('amount', 'reference', 'sender') }), {
      nil: null,
    }),
    address: fc.record({ thisAsset: fc.boolean(), thisNetwork: fc.boolean(), otherNetwork: fc.boolean() }),
  });
  fc.assert(
    fc.property(anyClues, fc.bigInt({ min: 0n, max: 100_000_000n }), (clues, amountUnits) => {
      const answer = attribute(transfer({ amountUnits }), clues as Clues);
      if (answer.type === 'left') return;
      const all = [
        clues.reserved?.claimant,
        ...clues.authorized,
        ...clues.referenced,
        ...clues.senders,
        ...clues.claimed,
        clues.former?.claimant,
      ].filter((one) => one !== undefined);
      const possible = all.filter(
        (one) =>
          one.paymentId === answer.paymentId &&
          one.receiveAddress === WALLET &&
          one.receiveAsset === 'USDC' &&
          one.receiveNetwork === 'base' &&
          (one.acceptsDirect || answer.by === 'route') &&
          one.status !== 'paid' &&
          one.status !== 'refunded',
      );
      expect(possible).not.toEqual([]);
    }),
  );
});
