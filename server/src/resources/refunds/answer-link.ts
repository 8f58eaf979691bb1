import { NETWORKS, walletText } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import type { Client } from '../../platform/http/admission/client.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { queueRefundNotice } from '../../settlement/records/notice-store.ts';
import { findPaymentById, lockPayments } from '../../settlement/records/payment-store.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { isSignedByContract, isSignedByKey } from '../accounts/signed-by-wallet.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { LINK_TOKEN_LENGTH } from './ask-customer.ts';
import { readAddress, requireCustomers } from './create.ts';
import { findPayers } from './payers.ts';
import { linkStatusOf, type RefundLink, type StoredRefund } from './refund.ts';
import { saveRefund } from './save.ts';
import { findRefund, findRefundByLink } from './store.ts';

const TOKEN = new RegExp(`^[0-9A-Za-z]{${LINK_TOKEN_LENGTH}}$`);
const MAX_ADDRESS_LENGTH = 128;
const MAX_SIGNATURE_LENGTH = 4_098;

/** A refund that asks its customer for an address, with its payment. */
export interface AskedRefund {
  refund: StoredRefund & { link: RefundLink };
  payment: Payment;
}

export async function findAskedRefund(ctx: Pick<Context, 'db'>, token: string): Promise<AskedRefund> {
  const refund = TOKEN.test(token) ? await findRefundByLink(ctx.db, sha256(token)) : undefined;
  const payment = refund && (await findPaymentById(ctx.db, refund.paymentId));
  return refund?.link && payment ? { refund: { ...refund, link: refund.link }, payment } : fail('not_found');
}

/** What the customer sends: an address, or the signature of the wallet that paid. */
export interface LinkAnswer {
  address: string;
  signature: string | null;
  client: Client;
}

/**
 * Takes the customer's only answer. `used`: another address was named before, or the time is over. A wallet that paid and
 * signed gets the refund; every other address waits for the merchant.
 */
export async function answerLink(ctx: Context, asked: AskedRefund, answer: LinkAnswer): Promise<'taken' | 'used'> {
  const proved = answer.signature !== null;
  const address = proved ? await readPayer(ctx, asked, answer) : await readTyped(ctx, asked.payment, answer);
  const now = await ctx.db.now();
  return ctx.db.transaction(async (db) => {
    const payment = (await lockPayments(db, [asked.payment.id])).get(asked.payment.id);
    const refund = payment && (await findRefund(db, ownerOf(payment), asked.refund.id));
    if (!payment || !refund?.link) return fail('not_found');
    // A second click, or a page that was sent again.
    if (refund.link.address === address) return 'taken';
    if (linkStatusOf(refund) !== 'open' || refund.link.expiresAt <= now) return 'used';
    await requireCustomers(db, payment, address, 'recipient');
    // Its money may have been returned to the same wallet meanwhile.
    if (proved && !(await findPayers(db, payment, refund)).includes(address)) refuseWallet();
    const link = { ...refund.link, address, proved, answeredAt: now };
    const after: StoredRefund = proved
      ? { ...refund, link, dueAt: null, status: 'planned', toAddress: address }
      : { ...refund, link, dueAt: null };
    await saveRefund({ ctx, db, at: { created: now, recorded: now } }, payment, { before: refund, after });
    await queueRefundNotice(db, after);
    ctx.log.info({ refundId: refund.id, paymentId: payment.id, proved }, 'refund address named');
    return 'taken';
  });
}

/** The address that was typed, to be shown once more before it is the answer. */
export async function reviewTyped(ctx: Context, { payment }: AskedRefund, typed: Typed): Promise<string> {
  const address = await readTyped(ctx, payment, typed);
  await requireCustomers(ctx.db, payment, address, 'recipient');
  return address;
}

type Typed = Pick<LinkAnswer, 'address' | 'client'>;

async function readTyped(ctx: Context, payment: Payment, { address, client }: Typed): Promise<string> {
  if (address.length > MAX_ADDRESS_LENGTH) fail('invalid_refund', { param: 'to' });
  return readAddress(ctx, payment, address, { client });
}

async function readPayer(
  ctx: Context,
  { refund, payment }: AskedRefund,
  { address: text, signature, client }: LinkAnswer,
): Promise<string> {
  const verdict = validateAddress(payment.receiveNetwork, text.slice(0, MAX_ADDRESS_LENGTH));
  if (!verdict.ok || signature === null || signature.length > MAX_SIGNATURE_LENGTH) return refuseWallet();
  const { address } = verdict;
  if (!(await findPayers(ctx.db, payment, refund)).includes(address)) return refuseWallet();
  const message = refundText(ctx, refund, address);
  const signed = { network: payment.receiveNetwork, address, message, signature };
  const isSigned = (await isSignedByKey(signed)) || (await isSignedByContract(ctx, signed, { for: 'proof', client }));
  return isSigned ? address : refuseWallet();
}

function refuseWallet(): never {
  return fail('invalid_signature', {
    param: 'signature',
    message: 'This is not the signature of a wallet that paid this much of this payment.',
  });
}

/** What the wallet that paid signs. It names this server, the refund and the amount, and is worth nothing elsewhere. */
export function refundText(
  { config: { publicUrl } }: Pick<Context, 'config'>,
  { id, amountUnits, asset, network, createdAt, link }: AskedRefund['refund'],
  address: string,
): string {
  const row = NETWORKS[network];
  return walletText(
    {
      network: row.family === 'evm' ? 'ethereum' : 'solana',
      address,
      publicUrl,
      nonce: id.slice(id.indexOf('_') + 1),
      issuedAt: createdAt,
      expiresAt: link.expiresAt,
    },
    {
      statement:
        `Receive a refund of ${presentUnits(amountUnits, asset, network)} ${asset} on ${row.name} at this address. ` +
        'This moves no funds.',
      ...(row.family === 'evm' && { chainId: String(row.chainId) }),
      about: id,
    },
  );
}

/** A link that was not answered in time: its refund ends, and the amount is free again. */
export async function closeLink(ctx: Context, seen: StoredRefund, now: Date): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const payment = (await lockPayments(db, [seen.paymentId])).get(seen.paymentId);
    const refund = payment && (await findRefund(db, ownerOf(payment), seen.id));
    if (!payment || refund?.status !== 'requested' || refund.link?.answeredAt !== null) return;
    const after: StoredRefund = { ...refund, status: 'cancelled', dueAt: null };
    await saveRefund({ ctx, db, at: { created: now, recorded: now } }, payment, { before: refund, after });
    ctx.log.info({ refundId: refund.id, paymentId: payment.id }, 'refund link expired');
  });
}

function ownerOf({ accountId, livemode }: Payment): { id: string; livemode: boolean } {
  return { id: accountId, livemode };
}
