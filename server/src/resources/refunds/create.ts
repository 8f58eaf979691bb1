import { type BodyOf, type endpoints, findAsset, NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Stranger } from '../../platform/http/admission/client.ts';
import type { Account, Caller } from '../../platform/caller.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { formatDisplayAmount, parseDisplayAmount, parseUnits } from '../../platform/money.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findPayment, lockPayment } from '../../settlement/records/payment-store.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { displayMinor, leftUnits, unitsOf } from '../../settlement/records/returned.ts';
import { asSent, readTxHash } from '../outgoing-transfers/sent.ts';
import { findAddressRoles } from '../outgoing-transfers/store.ts';
import { lookUpAddress } from '../payout-wallets/look-up-address.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { unsent } from '../outgoing-transfers/outgoing.ts';
import { askCustomer } from './ask-customer.ts';
import { MAX_REFUNDS, type StoredRefund } from './refund.ts';
import { saveRefund } from './save.ts';

export type NewRefundBody = BodyOf<typeof endpoints.createRefund>;

/** The recipient of a new refund, or null if the customer is to name it. */
export async function readRecipient(
  ctx: Context,
  account: Account,
  id: string,
  { to: text, link, tx_hash: txHash }: Pick<NewRefundBody, 'to' | 'link' | 'tx_hash'>,
): Promise<string | null> {
  const payment = (await findPayment(ctx.db, account, id)) ?? fail('not_found', { param: 'id' });
  if ((text === undefined) === (link === undefined))
    fail('invalid_refund', {
      param: 'to',
      message: 'Send the address of the customer as `to`, or `link` so that they name it, not both.',
    });
  if (link !== undefined && txHash !== undefined)
    fail('invalid_refund', { param: 'tx_hash', message: 'A refund is sent after the customer named the address.' });
  return text === undefined ? null : readAddress(ctx, payment, text);
}

/** The canonical form of an address, after a look at the chain: money that is sent to a token account is lost. */
export async function readAddress(ctx: Context, payment: Payment, text: string, stranger?: Stranger): Promise<string> {
  const network = payment.receiveNetwork;
  const verdict = validateAddress(network, text.trim(), Object.values(ctx.config.networks[network].tokens));
  if (!verdict.ok) return fail('invalid_refund', { param: 'to', message: verdict.why });
  const { unfit } = await lookUpAddress(ctx, payment, { network, address: verdict.address }, stranger);
  return unfit === null ? verdict.address : fail('invalid_refund', { param: 'to', message: unfit });
}

/** Reserves a part of what arrived. Two at once cannot reserve the same money: the payment is locked. */
export async function createRefund(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { id, body, to }: { id: string; body: NewRefundBody; to: string | null },
): Promise<{ refund: StoredRefund; linkUrl: string | null }> {
  const payment = (await lockPayment(db, caller, id)) ?? fail('not_found', { param: 'id' });
  requireAsset(payment, body);
  if (to !== null) await requireCustomers(db, payment, to);
  const amount = readAmount(payment, body);
  if (payment.refunds.ids.length >= MAX_REFUNDS)
    fail('invalid_refund', { message: `A payment can have at most ${MAX_REFUNDS} refunds, in all statuses.` });

  const planned = newRefund(payment, { ...amount, to, reason: body.reason ?? null, at: caller.now });
  const settlement = { ctx, db, at: { created: caller.now, recorded: caller.realNow } };
  const asked = body.link && (await askCustomer(settlement, payment, planned, body.link));
  const after =
    asked?.refund ??
    (body.tx_hash === undefined
      ? planned
      : asSent(planned, readTxHash(payment.receiveNetwork, body.tx_hash, 'invalid_refund'), caller));
  if (after.status === 'sent') db.afterCommit(() => ctx.db.notify('refunds'));
  const { refund } = await saveRefund(settlement, payment, { before: null, after });
  return { refund, linkUrl: asked?.url ?? null };
}

/** A planned refund of a payment, which is not saved. */
export function newRefund(
  payment: Payment,
  wanted: { minor: bigint; units: bigint; to: string | null; reason: string | null; at: Date },
): StoredRefund {
  return {
    id: newId('rf'),
    accountId: payment.accountId,
    livemode: payment.livemode,
    paymentId: payment.id,
    status: 'planned',
    sequence: 0,
    amountMinor: wanted.minor,
    currency: payment.currency,
    amountUnits: wanted.units,
    asset: payment.receiveAsset,
    network: payment.receiveNetwork,
    toAddress: wanted.to,
    reason: wanted.reason,
    ...unsent(),
    dueAt: null,
    createdAt: wanted.at,
    link: null,
    endedAt: null,
  };
}

/** A customer gets back what arrived. Another coin has another worth, and the two cannot be compared. */
function requireAsset({ receiveAsset, receiveNetwork }: Payment, { asset, network }: NewRefundBody): void {
  const arrived = `${receiveAsset} on ${NETWORKS[receiveNetwork].name} arrived`;
  if (asset !== undefined && asset.toUpperCase() !== receiveAsset.toUpperCase())
    fail('invalid_refund', { param: 'asset', message: `${arrived}, so a refund is in ${receiveAsset} too.` });
  if (network !== undefined && network.toLowerCase() !== receiveNetwork)
    fail('invalid_refund', { param: 'network', message: `${arrived}, so a refund is on ${receiveNetwork} too.` });
}

/** Refuses addresses from which money does not reach a customer. */
export async function requireCustomers(db: Db, payment: Payment, to: string, param = 'to'): Promise<void> {
  const account = { id: payment.accountId, livemode: payment.livemode };
  const role = to === payment.receiveAddress ? 'merchant' : (await findAddressRoles(db, account, [to])).get(to);
  if (role === 'merchant')
    fail('invalid_refund', {
      param,
      message: 'This is your own payout wallet. Send an address of the customer.',
    });
  if (role === 'provider')
    fail('invalid_refund', {
      param,
      message: 'This is the deposit address of a conversion, not of a wallet. Send an address of the customer.',
    });
}

function readAmount(payment: Payment, body: NewRefundBody): { minor: bigint; units: bigint } {
  const left = leftUnits(payment);
  if (!payment.actualOutputUnits)
    fail('invalid_payment_state', {
      message: 'No funds of this payment reached the payout wallet, so there is nothing to return.',
    });
  const leftMinor = displayMinor(payment, left);
  const coins = presentUnits(left, payment.receiveAsset, payment.receiveNetwork);
  const rest = `${formatDisplayAmount(leftMinor)} ${payment.currency} (${coins} ${payment.receiveAsset})`;
  const refuse = (param: string) =>
    fail('invalid_refund', {
      param,
      message:
        left === 0n
          ? 'Everything that arrived was returned, or belongs to another refund.'
          : `\`${param}\` must be more than zero and at most what is left of the payment: ${rest}.`,
    });

  if (body.coin_amount !== undefined) {
    if (body.amount !== undefined)
      fail('invalid_refund', { param: 'coin_amount', message: 'Send `amount` or `coin_amount`, not both.' });
    const units = readUnits(payment, body.coin_amount);
    return units > 0n && units <= left ? { units, minor: displayMinor(payment, units) } : refuse('coin_amount');
  }
  if (body.amount === undefined) return left > 0n ? { units: left, minor: leftMinor } : refuse('amount');
  const minor = parseDisplayAmount(body.amount);
  invariant(minor !== undefined, 'the schema lets only display amounts through');
  const units = unitsOf(payment, minor);
  return minor <= leftMinor && units > 0n ? { units, minor } : refuse('amount');
}

/** An exact amount of what arrived, in base units. */
export function readUnits({ receiveAsset, receiveNetwork }: Payment, text: string): bigint {
  const asset = findAsset(receiveAsset, receiveNetwork);
  invariant(asset, 'what a wallet receives is on the Safe List');
  const [, fraction = ''] = text.split('.');
  if (fraction.length > asset.decimals)
    fail('invalid_refund', {
      param: 'coin_amount',
      message: `\`coin_amount\` must have at most ${asset.decimals} decimals.`,
    });
  return parseUnits(text, asset.decimals);
}
