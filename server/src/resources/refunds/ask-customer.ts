import type { BodyOf, endpoints } from '@quittance/contract';
import { requireEmailAddress } from '../../platform/email-address.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import { DAY_MS, later, SECOND_MS } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { mailLink } from './link-mails.ts';
import type { RefundSettlement, StoredRefund } from './refund.ts';

type Wanted = NonNullable<BodyOf<typeof endpoints.createRefund>['link']>;

export const LINK_TOKEN_LENGTH = 43;
const LIFE_SECONDS = (7 * DAY_MS) / SECOND_MS;

/** Makes a link by which the customer names where a planned refund goes, and mails it if it may. */
export async function askCustomer(
  settlement: RefundSettlement,
  payment: Payment,
  planned: StoredRefund,
  wanted: Wanted,
): Promise<{ refund: StoredRefund; url: string }> {
  const now = settlement.at.recorded;
  const token = randomBase62(LINK_TOKEN_LENGTH);
  const url = `${settlement.ctx.config.publicUrl}/refund/${token}`;
  const link = {
    hash: sha256(token),
    expiresAt: later(now, (wanted.expires_in ?? LIFE_SECONDS) * SECOND_MS),
    email: null,
    locale: wanted.locale ?? 'en',
    address: null,
    proved: false,
    answeredAt: null,
    confirmedAt: null,
  };
  const refund: StoredRefund = { ...planned, status: 'requested', dueAt: link.expiresAt, link };
  const to = wanted.email === undefined ? (payment.customer?.email ?? null) : wanted.email;
  const email = to === null ? null : requireEmailAddress(to, 'link.email', 'invalid_refund');
  const isMailed = email !== null && (await mailLink(settlement, payment, refund, { email, url }));
  return { refund: isMailed ? { ...refund, link: { ...link, email } } : refund, url };
}
