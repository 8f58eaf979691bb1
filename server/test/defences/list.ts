import { ACCESS_DEFENCES } from './access.ts';
import { ANSWER_DEFENCES } from './answers.ts';
import { REFERENCE_DEFENCES } from './references.ts';
import { QUORUM_DEFENCES } from './quorum.ts';
import { CLAIM_DEFENCES } from './claims.ts';
import { SHOWN_TO_MERCHANTS } from './shown-to-merchants.ts';

/** One defence of the money rules, how to switch it off, and the test that must go red without it. */
export interface Defence {
  rule: string;
  file: string;
  /** The text that defends, and what stands there once it is switched off. */
  defends: string;
  without: string;
  /** A second line of the same defence. */
  also?: { file: string; defends: string; without: string };
  test: string;
  /** A part of the test's name. */
  named: string;
}

const routed = 'server/src/resources/routed-payments';
const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const forks = 'server/test/api/settlement-forks.test.ts';
const queue = 'server/test/api/settlement-queue.test.ts';
const races = 'server/test/api/settlement-races.test.ts';
const chains = `${journeys}/routed-chains.test.ts`;
const lies = `${journeys}/routed-lies.test.ts`;
const mutations = `${journeys}/routed-mutations.test.ts`;
const sessions = 'server/src/resources/checkout-sessions';

export const DEFENCES: readonly Defence[] = [
  {
    rule: 'The recipient is copied at creation; nothing changes it',
    file: `${settlement}/outcome/lifecycle.ts`, defends: "    ...('choice' in seen ? seen.choice : undefined),", without: "    ...('choice' in seen ? seen.choice : undefined), receiveAddress: payment.receiveAddress.toLowerCase() + ' ',",
    test: `${settlement}/outcome/lifecycle.test.ts`, named: 'the recipient is the same before and after anything',
  },
  {
    rule: 'A payment moves along the table only',
    file: `${settlement}/outcome/lifecycle.ts`, defends: "refund_recorded:         [['refunded'],", without: "refund_recorded:         ['refused',",
    test: `${settlement}/outcome/lifecycle.test.ts`, named: 'refund_recorded',
  },
  {
    rule: 'One transfer is kept once',
    file: 'server/src/platform/db/migrations/0001-the-house.sql', defends: '  unique (livemode, network, tx_hash, index)\n', without: '  check (true)\n',
    test: races, named: 'cannot be made two by the database itself',
  },
  {
    rule: 'One transfer settles once, whoever comes second',
    file: `${settlement}/outcome/settle.ts`, defends: "  if (transfer?.status !== 'seen') return payment;", without: '  if (!transfer) return payment;',
    test: races, named: 'read the same transfer',
  },
  {
    rule: 'A payment that is paid takes no more',
    file: `${settlement}/outcome/settle.ts`, defends: "  const isOver = payment.status === 'paid' || payment.status === 'refunded';", without: '  const isOver = false;',
    also: { file: `${settlement}/outcome/settle.ts`, defends: "    await releaseTransfers(db, leftOver.map((other) => other.id), 'already_paid');", without: '    void leftOver;' },
    test: `${journeys}/settlement.test.ts`, named: 'a second time is listed as already paid',
  },
  {
    rule: 'Nothing that is not final changes a status',
    file: `${settlement}/verification/finality.ts`, defends: '      return confirmations(block, head.number) >= rule.count;', without: '      return true;',
    test: `${journeys}/settlement.test.ts`, named: 'changes no status before it is final',
  },
  {
    rule: 'A reserved amount goes before a reference put beside it',
    file: `${settlement}/attribution/attribute.ts`, defends: "  if (amount?.type === 'taken') return amount;\n", without: '',
    test: `${journeys}/settlement.test.ts`, named: "beside another's in one bundle",
  },
  {
    rule: 'No two open payments share an exact amount',
    file: `${settlement}/records/target-store.ts`, defends: '     where r.reserved_until <= $8 or (r.payment_id', without: '     where true or (r.payment_id',
    test: 'server/test/api/public-pay.test.ts', named: 'no two open payments at one wallet are asked for the same amount',
  },
  {
    rule: 'An amount is not given out again for 48 hours',
    file: `${settlement}/records/payment-store.ts`, defends: 'later(at.created, AMOUNT_QUARANTINE_MS)', without: 'at.created',
    test: `${journeys}/settlement.test.ts`, named: 'a late payer within those 48 hours',
  },
  {
    rule: 'What is missing is an amount of its own',
    file: `${settlement}/attribution/attribute-transfer.ts`, defends: '    await takeRemainder(db, standing, now);', without: '    void takeRemainder; void now;',
    test: `${journeys}/settlement.test.ts`, named: 'in two parts adds up',
  },
  {
    rule: 'Dust changes nothing',
    file: `${settlement}/attribution/attribute.ts`, defends: "(isTooSmall(transfer, claimant) ? 'too_small' : undefined)", without: "(isTooSmall(transfer, claimant) ? undefined : undefined)",
    test: `${journeys}/settlement.test.ts`, named: 'of dust changes nothing',
  },
  {
    rule: 'Another coin pays nothing',
    file: `${settlement}/attribution/attribute.ts`, defends: '&& claimant.receiveAsset === transfer.asset', without: '',
    test: `${journeys}/settlement.test.ts`, named: 'of a wrong coin of ours',
  },
  {
    rule: 'Late or in time is the word of the block',
    file: `${settlement}/outcome/assess.ts`, defends: '  return credit.blockTime.getTime() <= terms.expiresAt.getTime();', without: '  return credit.blockTime.getTime() <= terms.expiresAt.getTime() || true;',
    test: `${journeys}/settlement.test.ts`, named: 'money that comes later is late',
  },
  ...CLAIM_DEFENCES,
  {
    rule: 'Nothing pending expires that is not covered',
    file: `${settlement}/outcome/expire.ts`, defends: '    if (!coveredUntil || coveredUntil.getTime() <= payment.expiresAt.getTime()) return false;', without: '    if (!coveredUntil) return false;',
    test: races, named: 'is nothing before the chain was read past it',
  },
  {
    rule: 'A transfer in sight holds the end off',
    file: `${settlement}/outcome/expire.ts`, defends: "  if (standing.direct.unfinal || standing.transfers.some((transfer) => transfer.status === 'seen')) return false;", without: '',
    test: races, named: 'is nothing while money is in sight',
  },
  ...QUORUM_DEFENCES,
  {
    rule: 'A paused watcher cannot write over its successor',
    file: `${settlement}/reading/cursor-store.ts`, defends: ' and token = $3 and block_hash is not distinct from $4', without: ' and $3::bigint is not null and ($4::text is null or true)',
    test: `${journeys}/watching.test.ts`, named: 'that were paused cannot write over their successors',
  },
  {
    rule: 'What vanished before it was final is dropped',
    file: `${settlement}/outcome/settle.ts`, defends: "  if (!await setTransferStatus(db, seen, 'dropped', evidence, at.created)) return;", without: '  if (seen) return;',
    test: races, named: 'that comes back after it was dropped',
  },
  {
    rule: 'What was final and vanished raises an alarm',
    file: `${settlement}/verification/verify-transfers.ts`, defends: '  await recheckFinal(ctx, chain, view);', without: '  void recheckFinal;',
    test: `${journeys}/watching.test.ts`, named: 'deeper than what counted as final',
  },
  {
    rule: 'A route is paid by its exact output only',
    file: `${settlement}/outcome/route-payout.ts`, defends: "  if (transfer.amountUnits !== order.outputUnits) return { type: 'route_short', ...common, money: moneyInParts(standing, orders, transfer) };", without: '',
    test: `${journeys}/routed.test.ts`, named: 'that is delivered short',
  },
  {
    rule: 'No payout settles a stranger\'s order',
    file: `${routed}/follow.ts`, defends: "transfer.paymentId === null && transfer.reason === 'no_match' && ", without: '',
    also: { file: `${settlement}/attribution/assign-transfer.ts`, defends: 'return transfer.paymentId === null && transfer', without: 'return transfer' },
    test: `${journeys}/routed.test.ts`, named: "names a stranger's transfer",
  },
  {
    rule: 'Money without a price of its minute is not guessed at',
    file: `${settlement}/records/rate-store.ts`, defends: '  return (pair, minute) => found.get(key(pair, minute));', without: '  return (pair, minute) => found.get(key(pair, minute)) ?? [...found.values()][0] ?? { numerator: 2500n, denominator: 1n };',
    test: `${journeys}/moving-prices.test.ts`, named: 'in a minute that no price is known of',
  },
  {
    rule: 'State, event and deliveries are one commit',
    file: `${settlement}/records/payment-store.ts`, defends: '  await recordEvents(db, [...steps], at);', without: '  await recordEvents(ctx.db, [...steps], at);',
    test: races, named: 'whose settling breaks off at any statement',
  },
  {
    rule: 'Every block is read a second time, with other eyes',
    file: 'server/src/watch.ts', defends: "  if (!secondHead) return first.caughtUp ? 'current' : 'more';", without: "  if (secondHead || !secondHead) return first.caughtUp ? 'current' : 'more';",
    test: `${journeys}/watching.test.ts`, named: 'the second look finds what the first missed',
  },
  {
    rule: 'After a reorganisation each pass goes back to where it stood itself',
    file: `${settlement}/reading/cursor-store.ts`, defends: 'where network = $1 and pass = $2 and number < $3 order by', without: 'where network = $1 and $2::text is not null and number < $3 order by',
    test: forks, named: 'the second look reads a new branch',
  },
  {
    rule: 'A single provider is asked a second time',
    file: 'server/src/watch.ts', defends: "  if (head.number < LOOK_AGAIN_BLOCKS) return null;", without: '  if (head.number >= 0n) return null;',
    test: forks, named: 'a single provider that left something out',
  },
  {
    rule: 'What comes back otherwise after a fork is attributed anew',
    file: `${settlement}/records/transfer-store.ts`, defends: '    fresh.push(...await replaceDropped(db, livemode, some, at));', without: '    void replaceDropped;',
    test: forks, named: 'after it was dropped is attributed anew',
  },
  {
    rule: 'What a fork has moved is judged anew, by the time of its new block',
    file: `${settlement}/records/transfer-store.ts`, defends: "final_at = null, queued = true, attempts", without: "final_at = null, attempts",
    test: forks, named: 'of the session before, from before the session now',
  },
  {
    rule: 'What was assigned by hand stays so through a fork',
    file: `${settlement}/attribution/attribute-transfer.ts`, defends: "  if (transfer.attributedBy === 'hand' || transfer.attributedBy === 'route') return undefined;", without: '',
    test: forks, named: 'assigned by hand stays where it was put',
  },
  {
    rule: 'A tag counts by what stands beside it on the branch that stays',
    file: `${settlement}/records/transfer-store.ts`, defends: "           carried = array(select decode(mark, 'hex') from unnest(string_to_array(nullif(seen.carried, ''), ',')) as mark), status = 'seen',\n", without: "           status = 'seen',\n",
    test: forks, named: 'stood alone before a fork and beside another transfer after it',
  },
  {
    rule: 'What an abandoned branch refused is forgotten',
    file: `${settlement}/reading/read-forward.ts`, defends: '    await forgetReverted(db, lease, back);', without: '    void forgetReverted;',
    test: forks, named: 'that only an abandoned branch refused',
  },
  {
    rule: 'A wallet is watched from its first session on',
    file: 'server/src/resources/checkout-sessions/insert.ts', defends: 'where livemode and (watched_until is null or watched_until < expires_at', without: 'where livemode and watched_until < expires_at and (watched_until < expires_at',
    test: `${journeys}/watching-whom.test.ts`, named: 'is watched from the next look on',
  },
  {
    rule: 'Whoever is new is noticed though nobody looks at all wallets',
    file: `${settlement}/reading/watched-addresses.ts`, defends: 'counts.all === before.counts.all', without: 'counts.all !== undefined',
    also: { file: `${settlement}/reading/watched-addresses.ts`, defends: 'counts.here === before.counts.here', without: 'counts.here !== undefined' },
    test: `${journeys}/watching-whom.test.ts`, named: 'is watched from the next look on',
  },
  {
    rule: 'A transaction that is gone is looked up once more',
    file: `${settlement}/verification/drop-vanished.ts`, defends: 'instead ?? (transfer.untraced ?', without: 'instead ?? (chain ?',
    test: forks, named: 'that comes back with another amount is attributed anew',
  },
  {
    rule: 'A head that went back to another branch is noticed',
    file: `${settlement}/reading/read-forward.ts`, defends: 'if (cursor.number > head.number && await stillStands(ctx, chain, pass, cursor, head))', without: 'if (cursor.number > head.number)',
    test: forks, named: 'a head that has gone back below the cursor',
  },
  {
    rule: 'Silence is no agreement with what was contradicted',
    file: `${settlement}/verification/verify-transfers.ts`, defends: '  if (transfer.evidence.contradictedSince) return', without: '  if (transfer.evidence.contradictedSince && chain === undefined) return',
    test: forks, named: 'what one provider has contradicted is not paid',
  },
  {
    rule: 'A payment that has moved on meanwhile is not written over',
    file: `${settlement}/records/payment-store.ts`, defends: ' where id = $1 and sequence = $2\n', without: ' where id = $1 and $2::integer is not null\n',
    test: forks, named: 'a payment that has moved on meanwhile',
  },
  {
    rule: 'A route that never delivered does not settle for ever',
    file: `${routed}/follow.ts`, defends: 'await isGivenUp(ctx, db, payment, order, at.created) ? giveUp', without: '(false as boolean) ? giveUp',
    test: `${journeys}/routed.test.ts`, named: 'never delivers what it took',
  },
  {
    rule: 'The end of a route takes nothing from direct money that is in sight',
    file: `${settlement}/outcome/route-end.ts`, defends: '  if (standing.direct.seenUnits > 0n) return undefined;', without: '',
    test: `${journeys}/routed-ends.test.ts`, named: 'changes nothing while direct money in full is in sight',
  },
  {
    rule: 'A direct part beside a route that has ended shows',
    file: `${settlement}/outcome/route-end.ts`, defends: '  if (direct.receivedUnits === 0n) return end;', without: '  if (direct.receivedUnits >= 0n) return end;',
    test: `${journeys}/routed-ends.test.ts`, named: 'shows the direct part',
  },
  {
    rule: 'The end of one order fails no payment of which another is under way',
    file: `${settlement}/outcome/route-end.ts`, defends: 'return isAnotherUnderWay ? undefined :', without: 'return isAnotherUnderWay && !payment ? undefined :',
    test: `${journeys}/routed-ends.test.ts`, named: 'of which another order is under way',
  },
  {
    rule: 'A direct part holds no payment open whose provider is gone',
    file: `${routed}/silence.ts`, defends: "every((transfer) => transfer.attributedBy !== 'route')", without: 'length === 0',
    test: `${journeys}/routed-ends.test.ts`, named: 'falls silent',
  },
  {
    rule: 'A transfer from before the session is not found by its amount',
    file: `${settlement}/attribution/attribute.ts`, defends: 'claimant.createdAt.getTime() - EARLY_TOLERANCE_MS', without: 'claimant.createdAt.getTime() - EARLY_TOLERANCE_MS * 2',
    test: `${settlement}/attribution/attribute.test.ts`, named: 'more than 60 s before the session',
  },
  {
    rule: 'A shortfall that counts as paid is never more than 1.00',
    file: `${settlement}/records/amounts.ts`, defends: '  return share < cap ? share : cap;', without: '  return share < cap ? share : share;',
    test: `${settlement}/records/amounts.test.ts`, named: 'never more than 1.00',
  },
  {
    rule: 'Nobody is given a round amount, which a customer of somebody else may send',
    file: `${settlement}/records/amounts.ts`, defends: '!used.has(tail) && !isRound(required + tail * step, asset)', without: '!used.has(tail)',
    test: 'server/test/api/amounts-and-strangers.test.ts', named: 'is never a round one',
  },
  {
    rule: 'One watcher reads a network at a time',
    file: `${settlement}/reading/cursor-store.ts`, defends: '     where c.holder = $2 or c.holder is null or c.lease_until is null or c.lease_until <= $3', without: '     where $3::timestamptz is not null',
    test: `${journeys}/watching.test.ts`, named: 'read a network one at a time',
  },
  {
    rule: 'A provider of another chain is never believed',
    file: 'server/src/outside/chains/evm/calls.ts', defends: "parse: (value) => quantity(value, 'chain id').toString() }", without: 'parse: () => String(chainId) }',
    test: `${journeys}/evm-faults.test.ts`, named: 'a provider of another chain is never believed',
  },
  {
    rule: 'Only the provider can sign its quotes',
    file: 'server/src/outside/routers/one-click/quote.ts', defends: "  if (!isSignedQuote(response, terms.signer)) throw", without: "  if (!isSignedQuote) throw",
    test: 'server/src/outside/routers/one-click/one-click.test.ts', named: 'changed answers: none is accepted',
  },
  {
    rule: 'An old answer is no new order: its deposit address is another order\'s',
    file: 'server/src/outside/routers/one-click/quote.ts', defends: '> MAX_QUOTE_AGE_MS) throw', without: '> 1e6 * MAX_QUOTE_AGE_MS) throw',
    test: 'server/src/outside/routers/one-click/one-click.test.ts', named: 'changed answers: none is accepted',
  },
  {
    rule: 'A route delivers to the merchant\'s own wallet',
    file: 'server/src/outside/routers/relay/quote.ts', defends: "  requireSame('recipient', at(details, 'recipient'), sent.recipient);", without: '',
    test: 'server/src/outside/routers/relay/relay.test.ts', named: 'a quote with another recipient',
  },
  {
    rule: 'A route provider takes nothing back',
    file: `${routed}/progress.ts`, defends: '  return isBack ? known : next;', without: '  return isBack ? next : next;',
    test: `${routed}/progress.test.ts`, named: 'converting and then waiting is converting',
  },
  {
    rule: 'Statuses in any order never pay by themselves',
    file: `${routed}/follow.ts`, defends: "    case 'done':\n      return { type: 'route_delivering', at, choice: routedChoice(order), evidence };", without: "    case 'done':\n      return { type: order.state === 'done' ? 'route_delivered' : 'route_delivering', at, choice: routedChoice(order), money: { outputUnits: order.outputUnits, txHash: null, txHashes: [] }, evidence };",
    test: lies, named: 'statuses in any order',
  },
  {
    rule: 'SUCCESS without a delivery pays nothing',
    file: `${routed}/follow.ts`, defends: "    case 'done':\n      return { type: 'route_delivering', at, choice: routedChoice(order), evidence };", without: "    case 'done':\n      return { type: order.state === 'done' ? 'route_delivered' : 'route_delivering', at, choice: routedChoice(order), money: { outputUnits: order.outputUnits, txHash: null, txHashes: [] }, evidence };",
    test: lies, named: 'and has sent nothing',
  },
  {
    rule: 'SUCCESS without a delivery does not settle for ever',
    file: `${routed}/progress.ts`, defends: "  return state === 'done' && doneAt !== null &&", without: "  return state === 'done' && doneAt === null &&",
    test: lies, named: 'and has sent a coin that only calls itself USDC',
  },
  {
    rule: 'A coin that only calls itself USDC pays nothing',
    file: 'server/src/outside/chains/evm/transfers.ts', defends: 'isTransfer(log) && evm.tokens.has(log.address)', without: 'isTransfer(log)',
    also: { file: 'server/src/outside/chains/evm/transfers.ts', defends: 'asset: evm.tokens.get(log.address) as AssetSymbol', without: "asset: evm.tokens.get(log.address) ?? 'USDC'" },
    test: lies, named: 'and has sent a coin that only calls itself USDC',
  },
  {
    rule: 'A conversion that arrives after it was given up is shown',
    file: `${settlement}/outcome/settle.ts`, defends: "payment.route === 'routed' && observation && 'money' in observation", without: "payment.route === 'direct' && observation && 'money' in observation",
    test: lies, named: 'given up and arrives after all',
  },
  {
    rule: 'A silent provider holds no payment open for ever',
    file: `${routed}/follow.ts`, defends: '    await noteSilence(ctx, order.id);\n    return false;', without: '    return false;',
    test: chains, named: 'gone for good',
  },
  {
    rule: 'What may still be delivered stays reserved',
    file: `${settlement}/records/payment-store.ts`, defends: "case r.purpose when 'route_output' then", without: "case r.purpose when 'no such' then",
    also: { file: `${routed}/follow.ts`, defends: 'transfer.amountUnits <= order.outputUnits', without: 'transfer.amountUnits < order.outputUnits' },
    test: chains, named: 'delivered only after the offer had ended',
  },
  {
    rule: 'Nothing expires while a provider was not asked',
    file: `${settlement}/outcome/expire.ts`, defends: "                               or (o.state in ('waiting', 'short', 'seen') and (o.polled_at is null or o.polled_at <= p.expires_at))", without: '                               or false',
    also: { file: `${settlement}/outcome/expire.ts`, defends: "    if (payment.livemode && isUnasked && (order.state === 'waiting' || order.state === 'short' || order.state === 'seen')) return false;", without: '    void isUnasked;' },
    test: chains, named: 'down in the middle',
  },
  {
    rule: 'A deposit address belongs to one live order, over all providers',
    file: 'server/src/platform/db/migrations/0012-routes-are-unique.sql', defends: 'create unique index route_orders_deposit_address on route_orders (lower(deposit_address)) where livemode;', without: '',
    test: mutations, named: 'an address that another order has is not kept',
  },
  {
    rule: 'An identifier belongs to one order of its provider',
    file: 'server/src/platform/db/migrations/0012-routes-are-unique.sql', defends: 'create unique index route_orders_reference on route_orders (provider, lower(reference)) where livemode;', without: '',
    test: mutations, named: 'the request id of another order is not kept',
  },
  {
    rule: 'A deposit address is none of the merchant\'s wallets',
    file: `${sessions}/order-checks.ts`, defends: '  if (await isOwnWallet(ctx.db, payment.accountId, address)) throw', without: '  if (await isOwnWallet(ctx.db, payment.accountId, address) && false) throw',
    test: mutations, named: "the merchant's wallet, also one that is not paid to",
  },
  {
    rule: 'A deposit address is not the refund address',
    file: `${sessions}/order-checks.ts`, defends: '  if ([recipient, refundAddress].some(', without: '  if ([recipient].some(',
    test: mutations, named: 'the refund address is not kept',
  },
  {
    rule: 'A deposit address is not a token contract or a system program',
    file: `${sessions}/order-checks.ts`, defends: '  if (!verdict.ok) throw', without: '  if (!verdict.ok && false) throw',
    test: mutations, named: 'a token contract is not kept',
  },
  {
    rule: 'An order that is not kept gives its reserved amount back',
    file: `${sessions}/choose-route.ts`, defends: '    await returnAmount(ctx.db, place, outputUnits, payment.id);', without: '',
    test: mutations, named: 'a field that cannot be stored is not kept',
  },
  {
    rule: 'A route that is too dear is not ordered',
    file: `${sessions}/order-checks.ts`, defends: '  if (isTooDear(bps, ctx.config.routes)) throw', without: '  if (isTooDear(bps, ctx.config.routes) && false) throw',
    test: mutations, named: 'a price that is too high is not kept',
  },
  {
    rule: 'A route that is too dear is not quoted',
    file: 'server/src/resources/quotes/quote.ts', defends: '      if (!isTooDear(premium, ctx.config.routes)) return', without: '      if (!isTooDear(premium, ctx.config.routes) || true) return',
    test: 'server/test/api/quotes.test.ts', named: 'above that the next provider is asked',
  },
  {
    rule: 'A customer is warned of a price above the market before paying',
    file: 'server/src/settlement/records/route-premium.ts', defends: '  return bps !== null && bps > warnAbovePercent * 100 ?', without: '  return bps !== null && bps > warnAbovePercent * 100_000 ?',
    test: mutations, named: 'is offered with a warning',
  },
  {
    rule: 'An answer that cannot be stored is refused before it is read',
    file: 'server/src/outside/routers/answer.ts', defends: '  requirePlain(answer.body);', without: '',
    test: 'server/src/outside/routers/relay/relay.test.ts', named: 'a status with a NUL',
  },
  {
    rule: 'No malformed answer causes a 500',
    file: 'server/src/outside/routers/answer.ts', defends: '    throw new PermanentFailure(`${provider} answered something unreadable`, { cause: error });', without: '    throw error;',
    test: 'server/src/outside/routers/answer.test.ts', named: 'every surprise inside a reader is a failure of the provider',
  },
  {
    rule: 'A quote with a recipient that was not sent is refused',
    file: 'server/src/outside/routers/one-click/quote.ts', defends: '  for (const field of NEVER_SENT) if (!isAbsent(holder[field])) throw', without: '  for (const field of NEVER_SENT) if (!isAbsent(holder[field]) && !field) throw',
    test: 'server/src/outside/routers/one-click/one-click.test.ts', named: 'changed answers: none is accepted',
  },
  {
    rule: 'Optional fields that are missing, null or empty are signed alike',
    file: 'server/src/outside/routers/one-click/signature.ts', defends: 'from[name] || undefined', without: 'from[name]',
    test: 'server/src/outside/routers/one-click/one-click.test.ts', named: 'are signed alike',
  },
  {
    rule: 'A status of another 1Click order moves nothing',
    file: 'server/src/outside/routers/one-click/progress.ts', defends: '  requireOurOrder(answer, order);', without: '',
    test: 'server/src/outside/routers/one-click/one-click.test.ts', named: 'of another deposit address is a failure',
  },
  {
    rule: 'A status of another Relay order moves nothing',
    file: 'server/src/outside/routers/relay/progress.ts', defends: '  requireOurOrder(body, order);', without: '',
    test: 'server/src/outside/routers/relay/relay.test.ts', named: 'a status with another origin',
  },
  {
    rule: 'A deposit transaction pays the deposit address',
    file: 'server/src/outside/routers/relay/deposit-step.ts', defends: "  checkTransaction(at(item, 'data'), sent, { ...deposit, depositAddress });", without: '  void checkTransaction;',
    test: 'server/src/outside/routers/relay/relay.test.ts', named: 'deposit transaction to somebody else',
  },
  {
    rule: 'The order data is the order that was asked for',
    file: 'server/src/outside/routers/relay/quote.ts', defends: '  checkOrderData(body, sent, { ...pair, inputUnits, depositAddress });', without: '  void checkOrderData;',
    test: 'server/src/outside/routers/relay/relay.test.ts', named: 'order that pays somebody else',
  },
  {
    rule: 'Relay charges the service fee that was asked for',
    file: 'server/src/outside/routers/relay/quote.ts', defends: '  checkFee(body, sent);', without: '  void checkFee;',
    test: 'server/src/outside/routers/relay/relay.test.ts', named: 'a quote with another service fee is refused',
  },
  {
    rule: 'An announced deposit makes nothing in time',
    file: `${routed}/progress.ts`, defends: "  const isDeposited = state === 'seen' ? depositedUnits !== null :", without: "  const isDeposited = state === 'seen' ? depositedUnits !== undefined :",
    test: `${routed}/progress.test.ts`, named: 'has an instant only once the provider has counted money',
  },
  {
    rule: 'An announced deposit holds a window open for minutes',
    file: 'server/src/settlement/outcome/expire.ts', defends: 'const ANNOUNCED_HOLD_MS = 10 * MINUTE_MS;', without: 'const ANNOUNCED_HOLD_MS = 10_000 * MINUTE_MS;',
    test: lies, named: 'one-click only announces holds the window open',
  },
  {
    rule: 'A provider that lies is passed over for the next',
    file: 'server/src/resources/checkout-sessions/choose-route.ts', defends: '      const isLie = error instanceof PermanentFailure;', without: '      const isLie = error instanceof PermanentFailure && false;',
    test: lies, named: 'is refused, and the next provider is asked',
  },
  {
    rule: 'A deposit address is one, on the network that is paid on',
    file: 'server/src/outside/routers/deposit-address.ts', defends: '  if (!isAddressOn(network, text)) throw', without: '  if (!isAddressOn(network, text) && false) throw',
    test: 'server/src/outside/routers/relay/relay.test.ts', named: 'deposit address on another network',
  },
  {
    rule: 'Our share of the fee is what was agreed',
    file: 'server/src/outside/routers/one-click/quote.ts', defends: 'if (ours * 100 < fee * feeSharePercent) throw', without: 'if (ours * 100 < 0 * fee * feeSharePercent) throw',
    test: 'server/src/outside/routers/one-click/one-click.test.ts', named: 'changed answers: none is accepted',
  },
  {
    rule: 'A preview is nobody else\'s',
    file: 'server/src/resources/quotes/preview.ts', defends: ' ${request.outputUnits} ${request.recipient}`', without: ' ${request.outputUnits}`',
    test: 'server/test/api/quotes.test.ts', named: 'is given to nobody else',
  },
  {
    rule: 'A preview is not kept for longer than 20 seconds',
    file: 'server/src/resources/quotes/preview.ts', defends: '< KEPT_MS;', without: '< KEPT_MS * 60;',
    test: 'server/test/api/quotes.test.ts', named: 'asked once in 20 seconds',
  },
  {
    rule: 'What a stranger puts into a transaction stops no reading',
    file: 'server/src/outside/chains/solana/shapes.ts', defends: 'UNDERSTOOD.has(program) ? toData(raw.data) : NO_DATA', without: "fromBase58(raw.data, 'instruction.data')",
    test: 'server/src/outside/chains/solana/transfers.test.ts', named: 'hides no money and spoils no answer',
  },
  {
    rule: 'A transaction that nobody can read does not hold up everybody for ever',
    file: 'server/src/outside/chains/rpc/overdue.ts', defends: 'return nowMs - sinceMs >= ODD_ANSWER_HOLD_MS;', without: 'return nowMs - sinceMs >= ODD_ANSWER_HOLD_MS * 1_000;',
    test: 'server/src/outside/chains/solana/read.test.ts', named: 'is waited for, and passed over with an alarm',
  },
  {
    rule: 'A block with many payments to one address costs a few calls, not two for each',
    file: 'server/src/outside/chains/evm/transactions.ts', defends: 'hashes.size > MAX_SINGLE_QUESTIONS', without: 'hashes.size > MAX_SINGLE_QUESTIONS * 1_000',
    test: `${journeys}/evm-busy.test.ts`, named: 'costs at most 10 calls, and every transfer is read',
  },
  {
    rule: 'A step holds a bounded number of logs in memory',
    file: 'server/src/outside/chains/evm/read.ts', defends: 'if (logs.length > MAX_LOGS_IN_A_STEP && span > 1n)', without: 'if (logs.length > MAX_LOGS_IN_A_STEP * 1_000 && span > 1n)',
    test: 'server/src/outside/chains/evm/bounded-reading.test.ts', named: 'is narrowed until a step holds at most 2,000',
  },
  {
    rule: 'A step of whole blocks holds a bounded number of payments in memory',
    file: 'server/src/outside/chains/evm/read-blocks.ts', defends: 'kept.open.length + open.length > MAX_LOGS_IN_A_STEP) break', without: 'kept.open.length + open.length > MAX_LOGS_IN_A_STEP * 1_000) break',
    test: 'server/src/outside/chains/evm/bounded-reading.test.ts', named: 'a step ends before more than 2,000 payments',
  },
  {
    rule: 'A slot with many payments to one address costs a few calls, not one for each',
    file: 'server/src/outside/chains/solana/transactions.ts', defends: 'some.length > MAX_SINGLE_QUESTIONS', without: 'some.length > MAX_SINGLE_QUESTIONS * 1_000',
    test: `${journeys}/solana-busy.test.ts`, named: 'read wallet by wallet costs at most a few calls',
  },
  {
    rule: 'A history without an end is not listed to its end',
    file: 'server/src/outside/chains/solana/history.ts', defends: '  if (round < maxPages) return false;', without: '  if (round < maxPages * 1_000) return false;',
    test: 'server/src/outside/chains/solana/history.test.ts', named: 'is busy after the pages that are allowed',
  },
  {
    rule: 'Of a long history a bounded number of entries is held in memory',
    file: 'server/src/outside/chains/solana/history.ts', defends: '  if (history.entries.size <= maxEntries) return;', without: '  if (history.entries.size <= maxEntries * 1_000) return;',
    test: 'server/src/outside/chains/solana/history.test.ts', named: 'only the oldest entries are held',
  },
  {
    rule: 'Nothing is covered that was dropped from a long history',
    file: 'server/src/outside/chains/solana/read.ts', defends: 'listing.heldUpTo !== null && listing.heldUpTo < listing.covers ? listing.heldUpTo : listing.covers', without: 'listing.covers',
    test: `${journeys}/solana-busy.test.ts`, named: 'is read in parts where it is sparse',
  },
  {
    rule: 'A busy address does not keep a payment to somebody else waiting',
    file: 'server/src/outside/chains/solana/read.ts', defends: '.filter((entry) => !inTurn.has(entry.signature)).slice(0, MAX_TRANSACTIONS)', without: '.filter((entry) => !inTurn.has(entry.signature)).slice(0, 0)',
    test: `${journeys}/solana-busy.test.ts`, named: 'does not keep a payment to somebody else waiting',
  },
  {
    rule: 'While whole blocks are read for a busy address, payments to others are seen',
    file: 'server/src/outside/chains/solana/reader.ts', defends: 'if (performance.now() - busy.lookedAtMs < LOOK_AHEAD_EVERY_MS) return reading;', without: 'if (busy.lookedAtMs < LOOK_AHEAD_EVERY_MS) return reading;',
    test: `${journeys}/solana-busy.test.ts`, named: 'is read by whole blocks where most slots hold something of it',
  },
  {
    rule: 'A transfer whose attribution fails three times is set aside',
    file: `${settlement}/attribution/attribute-queued.ts`, defends: '    await setTransferAside(ctx.db, id, now);', without: '    void setTransferAside;',
    test: queue, named: 'is set aside after three attempts',
  },
  {
    rule: 'A transaction that cannot be stored does not stop the reader',
    file: `${settlement}/reading/read-forward.ts`, defends: '    if (count < MAX_SAVE_ATTEMPTS) await saveReading', without: '    if (count >= 0) await saveReading',
    test: queue, named: 'not even the facts can be stored',
  },
  {
    rule: 'The queue serves every address in turn',
    file: `${settlement}/records/transfer-queue-store.ts`, defends: '       limit $4) one', without: '       limit 1000) one',
    also: { file: `${settlement}/attribution/attribute-queued.ts`, defends: '  for (const { id, to } of found) {', without: '  for (const { id, to } of found.slice(0, 5)) {' },
    test: queue, named: 'however much waits in the queue of one address',
  },
  {
    rule: 'Only what a payment depends on is verified by itself',
    file: `${settlement}/records/unverified-store.ts`, defends: 'from transfers t join payments p on p.id = t.payment_id join checkout_sessions s', without: "from transfers t join payments p on p.id = coalesce(t.payment_id, (select min(one.id) from payments one)) join checkout_sessions s",
    test: queue, named: 'an invented transfer costs no question',
  },
  {
    rule: 'What became final with its block is verified before it pays',
    file: `${settlement}/attribution/assign-transfer.ts`, defends: '  if (held.livemode && held.evidence.byBlock) await', without: '  if (!held) await',
    test: queue, named: 'is verified by itself once it is assigned',
  },
  {
    rule: 'Dust that matches nothing is counted, not stored',
    file: `${settlement}/reading/sift.ts`, defends: '      if (isBelowCent(transfer.asset, transfer.amountUnits)) {', without: '      if (known === null) {',
    test: queue, named: 'dust that matches nothing',
  },
  {
    rule: 'An unproved address lists so many transfers an hour',
    file: `${settlement}/reading/sift.ts`, defends: '(known?.listed ?? 0) + count.stored >= MAX_LISTED_PER_HOUR', without: 'count.stored < 0',
    test: queue, named: 'an address that nobody has proved',
  },
  {
    rule: 'No window ends while an attribution is open',
    file: `${settlement}/outcome/expire.ts`, defends: '  if (payment.livemode && await hasQueued(', without: '  if (!payment && await hasQueued(',
    test: queue, named: 'still waits for its attribution',
  },
  {
    rule: 'The transfers of one transaction are verified by one set of questions',
    file: 'server/src/outside/chains/rpc/memory.ts', defends: 'memory.get(keyOf(call)) ?? keep(call, provider.call(unread(call)))', without: 'keep(call, provider.call(unread(call)))',
    test: 'server/src/outside/chains/rpc/memory.test.ts', named: 'the same question is asked once',
  },
  ...ANSWER_DEFENCES,
  ...REFERENCE_DEFENCES,
  ...SHOWN_TO_MERCHANTS,
  ...ACCESS_DEFENCES,
];
