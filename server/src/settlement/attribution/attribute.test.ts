import { describe, expect, test } from 'vitest';
import type { Transfer } from '../../outside/chains/chain.ts';
import { attribute, type Clues } from './attribute.ts';
import { created, alice, bob, nothing, reservedFor, claimant, transfer, block } from './attribute-fixtures.ts';

describe('whose transfer it is', () => {
  test.each<[string, Partial<Transfer>, Partial<Clues>, string]>([
    ['a reference finds its session', {}, { referenced: [alice] }, 'pay_alice by reference'],
    [
      'a reference works however old the transfer is',
      { block: block(-86_400) },
      { referenced: [alice] },
      'pay_alice by reference',
    ],
    [
      'an exact amount finds the payment it is reserved for',
      {},
      { reserved: reservedFor(alice) },
      'pay_alice by amount',
    ],
    [
      'a remainder reserved in its own right counts, however small',
      { amountUnits: 7n },
      { reserved: reservedFor(alice, 'remainder') },
      'pay_alice by amount',
    ],
    [
      'an authorization that the sender signed goes before the amount',
      {},
      { authorized: [alice], reserved: reservedFor(bob), referenced: [bob] },
      'pay_alice by authorization',
    ],
    [
      'an authorization for a payment that is paid already leaves the transfer to the amount',
      {},
      { authorized: [claimant({ status: 'paid' })], reserved: reservedFor(bob) },
      'pay_bob by amount',
    ],
    [
      'a reserved amount goes before a reference somebody put beside it',
      {},
      { reserved: reservedFor(alice), referenced: [bob] },
      'pay_alice by amount',
    ],
    [
      'a reference from the payer goes before the remainder of another payment, whose payer chose it',
      {},
      { reserved: reservedFor(alice, 'remainder'), referenced: [bob] },
      'pay_bob by reference',
    ],
    [
      'a remainder takes the money that the referenced payment cannot take',
      {},
      { reserved: reservedFor(alice, 'remainder'), referenced: [claimant({ paymentId: 'pay_bob', status: 'paid' })] },
      'pay_alice by amount',
    ],
    [
      "a route's exact output finds its payment",
      {},
      { reserved: reservedFor(claimant({ status: 'settling' }), 'route_output') },
      'pay_1 by route',
    ],
    [
      'a route delivers the payout asset though customers may not pay with it',
      {},
      { reserved: reservedFor(claimant({ status: 'settling', acceptsDirect: false }), 'route_output') },
      'pay_1 by route',
    ],
    [
      'an amount of a session that leaves the payout asset out',
      {},
      { reserved: reservedFor(claimant({ acceptsDirect: false })) },
      'no_match near null',
    ],
    [
      'within its quarantine an amount still points to the old payment',
      {},
      { reserved: reservedFor(claimant({ status: 'expired' }), 'target', new Date(created.getTime() + 60_000)) },
      'pay_1 by amount',
    ],
    [
      'after its quarantine an amount says nothing',
      {},
      { reserved: reservedFor(claimant({ status: 'expired' }), 'target', new Date(created.getTime() + 10_000)) },
      'no_match near null',
    ],
    [
      'after its quarantine an amount that nobody else was given still finds its payment while that is open',
      {},
      { reserved: reservedFor(claimant({ status: 'pending' }), 'target', new Date(created.getTime() + 10_000)) },
      'pay_1 by amount',
    ],
    [
      'a transfer more than 60 s before the payment was given the amount is of whoever had it before',
      { block: block(-61) },
      {
        reserved: reservedFor(claimant({ createdAt: new Date(created.getTime() - 3_600_000) })),
      },
      'no_match near null',
    ],
    [
      'a transfer more than 60 s before the session cannot be found by amount',
      { block: block(-61) },
      { reserved: reservedFor(alice) },
      'no_match near null',
    ],
    [
      'a transfer 60 s before the session can',
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
      'a sender that was known before a fork, whose payment is over by now',
      {},
      { former: { claimant: claimant({ paymentId: 'pay_over', status: 'expired' }), by: 'sender' } },
      'pay_over by sender',
    ],
    [
      'a sender that was known before a fork, too early now',
      { block: block(-61) },
      { former: { claimant: alice, by: 'sender' } },
      'no_match near null',
    ],
    [
      "an amount that was its own before a fork and is nobody's now",
      {},
      { former: { claimant: alice, by: 'amount' } },
      'no_match near null',
    ],
    ['a connected sender who sends less', { amountUnits: 48_999_999n }, { senders: [alice] }, 'no_match near null'],
    ['a connected sender with two open payments', {}, { senders: [alice, bob] }, 'no_match near null'],
    [
      'a connected sender whose other payment is over',
      {},
      { senders: [claimant({ paymentId: 'pay_over', status: 'paid' }), alice] },
      'pay_alice by sender',
    ],
    ['a signed claim', { amountUnits: 48_000_000n }, { claimed: [alice] }, 'pay_alice by claim'],
    ['a signed claim of an older transfer', { block: block(-61) }, { claimed: [alice] }, 'no_match near null'],
    ['nothing at all', {}, {}, 'no_match near null'],
    [
      'money for a paid payment, by amount',
      {},
      { reserved: reservedFor(claimant({ status: 'paid' })) },
      'already_paid near pay_1',
    ],
    [
      'money for a paid payment, by reference',
      {},
      { referenced: [claimant({ status: 'paid' })] },
      'already_paid near pay_1',
    ],
    [
      'money for a refunded payment',
      {},
      { referenced: [claimant({ status: 'refunded' })] },
      'already_refunded near pay_1',
    ],
    [
      'direct money while a route is under way',
      {},
      { referenced: [claimant({ status: 'routing' })] },
      'other_asset near pay_1',
    ],
    [
      'a tagged coin of ours that the session did not ask for',
      { asset: 'USDT' },
      { referenced: [alice], address: { thisAsset: false, thisNetwork: true, otherNetwork: false } },
      'other_asset near pay_alice',
    ],
    [
      'an untagged one',
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
      'below one per cent of what is due',
      { amountUnits: 489_999n },
      { referenced: [alice] },
      'too_small near pay_alice',
    ],
    ['one per cent of what is due', { amountUnits: 490_000n }, { referenced: [alice] }, 'pay_alice by reference'],
    [
      'nothing sent at all, with a reference',
      { amountUnits: 0n },
      { referenced: [claimant({ requiredUnits: null, dueUnits: null })] },
      'too_small near pay_1',
    ],
    [
      'a reference to a session of another wallet',
      {},
      { referenced: [claimant({ receiveAddress: '0x2222222222222222222222222222222222222222' })] },
      'no_match near null',
    ],
    [
      'an unproven reference names its payment and gives it nothing',
      {},
      { unproven: [alice] },
      'no_match near pay_alice',
    ],
    [
      'an unproven reference names the first payment that could take the money',
      {},
      { unproven: [claimant({ paymentId: 'pay_over', status: 'paid' }), bob] },
      'no_match near pay_bob',
    ],
    [
      'an unproven reference to a session of another wallet',
      {},
      { unproven: [claimant({ receiveAddress: '0x2222222222222222222222222222222222222222' })] },
      'no_match near null',
    ],
    [
      'an unproven reference beside an exact amount',
      {},
      { reserved: reservedFor(alice), unproven: [bob] },
      'pay_alice by amount',
    ],
    [
      'an exact amount of a payment that is over, with a proven reference',
      {},
      { reserved: reservedFor(claimant({ status: 'paid' })), referenced: [bob] },
      'pay_bob by reference',
    ],
    [
      'an exact amount of a payment that is over, with a reference to another that is over',
      {},
      {
        reserved: reservedFor(claimant({ status: 'paid' })),
        referenced: [claimant({ paymentId: 'pay_back', status: 'refunded' })],
      },
      'already_paid near pay_1',
    ],
    [
      'an exact amount of a payment that is over, with an unproven reference',
      {},
      { reserved: reservedFor(claimant({ status: 'paid' })), unproven: [bob] },
      'already_paid near pay_1',
    ],
    [
      'several references: one payment only, the first that can take it',
      {},
      { referenced: [claimant({ paymentId: 'pay_over', status: 'paid' }), bob, alice] },
      'pay_bob by reference',
    ],
    [
      'a session that leaves the payout asset out',
      {},
      { referenced: [claimant({ acceptsDirect: false })] },
      'other_asset near pay_1',
    ],
  ])('%s', (_, changes, clues, expected) => {
    const answer = attribute(transfer(changes), { ...nothing, ...clues });
    expect(
      answer.type === 'taken' ? `${answer.paymentId} by ${answer.by}` : `${answer.reason} near ${answer.nearPaymentId}`,
    ).toBe(expected);
  });
});
