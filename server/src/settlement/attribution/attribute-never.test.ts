import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attribute, type Candidate, type Candidates } from './attribute.ts';
import { WALLET, created, candidate, transfer } from './attribute-fixtures.ts';

test('attribution never picks a payment with another wallet, asset or network, or one that is paid or refunded', () => {
  const anyCandidate = fc
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
    .map((changes) => candidate(changes as Partial<Candidate>));
  const anyCandidates = fc.record({
    reserved: fc.option(
      fc.record({
        candidate: anyCandidate,
        purpose: fc.constantFrom('target', 'remainder', 'route_output'),
        targetId: fc.constant(null),
        since: fc.constant(created),
        until: fc.constant(null),
      }),
      { nil: null },
    ),
    authorized: fc.array(anyCandidate, { maxLength: 2 }),
    referenced: fc.array(anyCandidate, { maxLength: 3 }),
    unproven: fc.array(anyCandidate, { maxLength: 4 }),
    senders: fc.array(anyCandidate, { maxLength: 3 }),
    claimed: fc.array(anyCandidate, { maxLength: 2 }),
    siblings: fc.constant([]),
    elsewhere: fc.array(anyCandidate, { maxLength: 2 }),
    former: fc.option(fc.record({ candidate: anyCandidate, by: fc.constantFrom('amount', 'reference', 'sender') }), {
      nil: null,
    }),
    address: fc.record({ thisAsset: fc.boolean(), thisNetwork: fc.boolean(), otherNetwork: fc.boolean() }),
  });
  fc.assert(
    fc.property(anyCandidates, fc.bigInt({ min: 0n, max: 100_000_000n }), (candidates, amountUnits) => {
      const answer = attribute(transfer({ amountUnits }), candidates as Candidates);
      if (answer.type === 'left') return;
      const all = [
        candidates.reserved?.candidate,
        ...candidates.authorized,
        ...candidates.referenced,
        ...candidates.senders,
        ...candidates.claimed,
        candidates.former?.candidate,
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
