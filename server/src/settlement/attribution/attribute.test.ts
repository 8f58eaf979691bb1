import { describe, expect, test } from 'vitest';
import type { Transfer } from '../../outside/chains/chain.ts';
import { attribute, type Candidates } from './attribute.ts';
import { created, alice, bob, nothing, reservedFor, candidate, transfer, block } from './attribute-fixtures.ts';

describe('attribution', () => {
  test.each<[string, Partial<Transfer>, Partial<Candidates>, string]>([
    ['a reference matches its session', {}, { referenced: [alice] }, 'pay_alice by reference'],
    [
      'a reference works however old the transfer is',
      { block: block(-86_400) },
      { referenced: [alice] },
      'pay_alice by reference',
    ],
    [
      'an exact amount matches the payment it is reserved for',
      {},
      { reserved: reservedFor(alice) },
      'pay_alice by amount',
    ],
    [
      'a reserved remainder matches, however small',
      { amountUnits: 7n },
      { reserved: reservedFor(alice, 'remainder') },
      'pay_alice by amount',
    ],
    [
      'an authorization signed by the sender takes precedence over the amount',
      {},
      { authorized: [alice], reserved: reservedFor(bob), referenced: [bob] },
      'pay_alice by authorization',
    ],
    [
      'an authorization for a paid payment leaves the decision to the amount',
      {},
      { authorized: [candidate({ status: 'paid' })], reserved: reservedFor(bob) },
      'pay_bob by amount',
    ],
    [
      'a reserved amount takes precedence over a reference that another party attached',
      {},
      { reserved: reservedFor(alice), referenced: [bob] },
      'pay_alice by amount',
    ],
    [
      'a reference from the payer takes precedence over the remainder of another payment, whose payer chose it',
      {},
      { reserved: reservedFor(alice, 'remainder'), referenced: [bob] },
      'pay_bob by reference',
    ],
    [
      'a remainder matches if the referenced payment cannot take the money',
      {},
      { reserved: reservedFor(alice, 'remainder'), referenced: [candidate({ paymentId: 'pay_bob', status: 'paid' })] },
      'pay_alice by amount',
    ],
    [
      "a route's exact output matches its payment",
      {},
      { reserved: reservedFor(candidate({ status: 'settling' }), 'route_output') },
      'pay_1 by route',
    ],
    [
      'a route delivers the payout asset even if customers may not pay with it',
      {},
      { reserved: reservedFor(candidate({ status: 'settling', acceptsDirect: false }), 'route_output') },
      'pay_1 by route',
    ],
    [
      'an amount of a session that does not accept the payout asset',
      {},
      { reserved: reservedFor(candidate({ acceptsDirect: false })) },
      'no_match near null',
    ],
    [
      'within its quarantine an amount still matches the old payment',
      {},
      { reserved: reservedFor(candidate({ status: 'expired' }), 'target', new Date(created.getTime() + 60_000)) },
      'pay_1 by amount',
    ],
    [
      'after its quarantine an amount matches nothing',
      {},
      { reserved: reservedFor(candidate({ status: 'expired' }), 'target', new Date(created.getTime() + 10_000)) },
      'no_match near null',
    ],
    [
      'after its quarantine an amount that was not reserved again still matches its payment while that is open',
      {},
      { reserved: reservedFor(candidate({ status: 'pending' }), 'target', new Date(created.getTime() + 10_000)) },
      'pay_1 by amount',
    ],
    [
      'a transfer more than 60 s before the amount was reserved belongs to the previous holder of the amount',
      { block: block(-61) },
      {
        reserved: reservedFor(candidate({ createdAt: new Date(created.getTime() - 3_600_000) })),
      },
      'no_match near null',
    ],
    [
      'a transfer more than 60 s before the session does not match by amount',
      { block: block(-61) },
      { reserved: reservedFor(alice) },
      'no_match near null',
    ],
    [
      'a transfer 60 s before the session matches by amount',
      { block: block(-60) },
      { reserved: reservedFor(alice) },
      'pay_alice by amount',
    ],
    [
      'a connected sender with one open payment who sends enough',
      { amountUnits: 49_000_000n },
      { senders: [alice] },
      'pay_alice by sender',
    ],
    [
      'a sender that matched before a reorg, although its payment has ended since',
      {},
      { former: { candidate: candidate({ paymentId: 'pay_over', status: 'expired' }), by: 'sender' } },
      'pay_over by sender',
    ],
    [
      'a sender that matched before a reorg, but the transfer is too early now',
      { block: block(-61) },
      { former: { candidate: alice, by: 'sender' } },
      'no_match near null',
    ],
    [
      'an amount that matched before a reorg and is no longer reserved',
      {},
      { former: { candidate: alice, by: 'amount' } },
      'no_match near null',
    ],
    ['a connected sender who sends less', { amountUnits: 48_999_999n }, { senders: [alice] }, 'no_match near null'],
    [
      'a connected sender whose only payment is in conversion',
      {},
      { senders: [{ ...alice, status: 'routing' }] },
      'pay_alice by sender',
    ],
    [
      'a connected sender with an open payment beside a conversion',
      {},
      { senders: [alice, { ...bob, status: 'routing' }] },
      'pay_alice by sender',
    ],
    ['a connected sender with two open payments', {}, { senders: [alice, bob] }, 'no_match near null'],
    [
      'a connected sender whose other payment has ended',
      {},
      { senders: [candidate({ paymentId: 'pay_over', status: 'paid' }), alice] },
      'pay_alice by sender',
    ],
    ['a signed claim', { amountUnits: 48_000_000n }, { claimed: [alice] }, 'pay_alice by claim'],
    ['a signed claim for an older transfer', { block: block(-61) }, { claimed: [alice] }, 'no_match near null'],
    ['no candidates', {}, {}, 'no_match near null'],
    [
      'money for a paid payment, by amount',
      {},
      { reserved: reservedFor(candidate({ status: 'paid' })) },
      'already_paid near pay_1',
    ],
    [
      'money for a paid payment, by reference',
      {},
      { referenced: [candidate({ status: 'paid' })] },
      'already_paid near pay_1',
    ],
    [
      'money for a refunded payment',
      {},
      { referenced: [candidate({ status: 'refunded' })] },
      'already_refunded near pay_1',
    ],
    [
      'direct money while a route is under way',
      {},
      { referenced: [candidate({ status: 'routing' })] },
      'pay_1 by reference',
    ],
    [
      'a tagged supported coin that the session did not ask for',
      { asset: 'USDT' },
      { referenced: [alice], address: { thisAsset: false, thisNetwork: true, otherNetwork: false } },
      'other_asset near pay_alice',
    ],
    [
      'the same coin without a tag',
      { asset: 'USDT' },
      { address: { thisAsset: false, thisNetwork: true, otherNetwork: false } },
      'other_asset near null',
    ],
    [
      'a tagged transfer on another network',
      { network: 'polygon' },
      { referenced: [alice], address: { thisAsset: false, thisNetwork: false, otherNetwork: true } },
      'wrong_network near pay_alice',
    ],
    [
      'an untagged transfer on another network',
      { network: 'polygon' },
      { address: { thisAsset: false, thisNetwork: false, otherNetwork: true } },
      'wrong_network near null',
    ],
    [
      'the exact amount of a payment on another network',
      { network: 'polygon' },
      { elsewhere: [alice], address: { thisAsset: true, thisNetwork: true, otherNetwork: true } },
      'wrong_network near pay_alice',
    ],
    [
      'the exact amount of payments on two other networks',
      { network: 'polygon' },
      { elsewhere: [alice, bob], address: { thisAsset: false, thisNetwork: false, otherNetwork: true } },
      'wrong_network near null',
    ],
    [
      'the exact amount of a paid payment on another network',
      { network: 'polygon' },
      {
        elsewhere: [candidate({ status: 'paid' })],
        address: { thisAsset: true, thisNetwork: true, otherNetwork: true },
      },
      'no_match near null',
    ],
    [
      'an amount on another network from before the payment',
      { network: 'polygon', block: block(-600) },
      { elsewhere: [alice], address: { thisAsset: true, thisNetwork: true, otherNetwork: true } },
      'no_match near null',
    ],
    [
      'below one percent of the amount due',
      { amountUnits: 489_999n },
      { referenced: [alice] },
      'too_small near pay_alice',
    ],
    ['one percent of the amount due', { amountUnits: 490_000n }, { referenced: [alice] }, 'pay_alice by reference'],
    [
      'a zero amount with a reference',
      { amountUnits: 0n },
      { referenced: [candidate({ requiredUnits: null, dueUnits: null })] },
      'too_small near pay_1',
    ],
    [
      'a part of a payment that has 200 transfers',
      { amountUnits: 490_000n },
      { referenced: [candidate({ transferCount: 200 })] },
      'too_small near pay_1',
    ],
    [
      'a part of a payment that has 199 transfers',
      { amountUnits: 490_000n },
      { referenced: [candidate({ transferCount: 199 })] },
      'pay_1 by reference',
    ],
    [
      'all that is due of a payment that has 200 transfers',
      { amountUnits: 49_000_000n },
      { referenced: [candidate({ transferCount: 200 })] },
      'pay_1 by reference',
    ],
    [
      'more for a payment that has 200 transfers and nothing due',
      { amountUnits: 49_000_000n },
      { referenced: [candidate({ transferCount: 200, dueUnits: 0n, status: 'refund_required' })] },
      'too_small near pay_1',
    ],
    [
      'the exact amount again for a payment that has 200 transfers and nothing due',
      {},
      { reserved: reservedFor(candidate({ transferCount: 200, dueUnits: 0n, status: 'refund_required' })) },
      'too_small near pay_1',
    ],
    [
      'a reference to a session of another wallet',
      {},
      { referenced: [candidate({ receiveAddress: '0x2222222222222222222222222222222222222222' })] },
      'no_match near null',
    ],
    ['an unproven reference only names its payment', {}, { unproven: [alice] }, 'no_match near pay_alice'],
    [
      'an unproven reference names the first payment that could take the money',
      {},
      { unproven: [candidate({ paymentId: 'pay_over', status: 'paid' }), bob] },
      'no_match near pay_bob',
    ],
    [
      'an unproven reference to a session of another wallet',
      {},
      { unproven: [candidate({ receiveAddress: '0x2222222222222222222222222222222222222222' })] },
      'no_match near null',
    ],
    [
      'an unproven reference beside an exact amount',
      {},
      { reserved: reservedFor(alice), unproven: [bob] },
      'pay_alice by amount',
    ],
    [
      'an exact amount of a paid payment, with a proven reference',
      {},
      { reserved: reservedFor(candidate({ status: 'paid' })), referenced: [bob] },
      'pay_bob by reference',
    ],
    [
      'an exact amount of a paid payment, with a reference to a refunded one',
      {},
      {
        reserved: reservedFor(candidate({ status: 'paid' })),
        referenced: [candidate({ paymentId: 'pay_back', status: 'refunded' })],
      },
      'already_paid near pay_1',
    ],
    [
      'an exact amount of a paid payment, with an unproven reference',
      {},
      { reserved: reservedFor(candidate({ status: 'paid' })), unproven: [bob] },
      'already_paid near pay_1',
    ],
    [
      'several references: only the first payment that can take the money',
      {},
      { referenced: [candidate({ paymentId: 'pay_over', status: 'paid' }), bob, alice] },
      'pay_bob by reference',
    ],
    [
      'a session that does not accept the payout asset',
      {},
      { referenced: [candidate({ acceptsDirect: false })] },
      'other_asset near pay_1',
    ],
  ])('%s', (_, changes, candidates, expected) => {
    const answer = attribute(transfer(changes), { ...nothing, ...candidates });
    expect(
      answer.type === 'taken' ? `${answer.paymentId} by ${answer.by}` : `${answer.reason} near ${answer.nearPaymentId}`,
    ).toBe(expected);
  });
});
