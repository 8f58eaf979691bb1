import { type BodyOf, type endpoints, LIMITS } from '@quittance/contract';
import { LARGEST_AMOUNT, LEAST_AMOUNT, toCents } from '@quittance/contract/cents';
import { NOTE_KEY } from '@quittance/contract/customer-note';
import { fail, invariant } from '../../platform/errors.ts';
import { formatDisplayAmount, parseDisplayAmount } from '../../platform/money.ts';
import { readInstant } from '../../platform/http/instant.ts';
import type { LinkTerms, PaymentLink } from './link.ts';

type TermsInput = Pick<
  BodyOf<typeof endpoints.updatePaymentLink>,
  'ask_for' | 'note_label' | 'open_amount' | 'ends_at' | 'max_payments'
>;

const CODE = 'invalid_payment_link';
const LEAST_MINOR = toCents(LEAST_AMOUNT);
const MOST_MINOR = toCents(LARGEST_AMOUNT);

/** The terms as a request changes them at this time of the account's clock. */
export function readTerms(body: TermsInput, before: LinkTerms, now: Date): LinkTerms {
  const { ask_for: askFor, note_label: label, open_amount: open, ends_at: endsAt, max_payments: max } = body;
  return {
    askFor: askFor === undefined ? before.askFor : [...new Set(askFor)],
    noteLabel: label === undefined ? before.noteLabel : label?.trim() || null,
    ...(open === undefined ? limitsOf(before) : readLimits(open)),
    endsAt: endsAt === undefined ? before.endsAt : endsAt === null ? null : readEnd(endsAt, before, now),
    maxPayments: max === undefined ? before.maxPayments : max,
  };
}

/** A time to come, or the end that the link has. */
function readEnd(text: string, { endsAt }: LinkTerms, now: Date): Date {
  const end = readInstant(text, 'ends_at', CODE);
  if (end > now || end.getTime() === endsAt?.getTime()) return end;
  return fail(CODE, { param: 'ends_at', message: '`ends_at` must be in the future. To end a link now, disable it.' });
}

/** The suggestion must be one that the customer may enter. */
export function assertWithin(amountMinor: bigint, limits: Pick<LinkTerms, 'minAmountMinor' | 'maxAmountMinor'>): void {
  if (isWithin(amountMinor, limits)) return;
  fail(CODE, {
    param: 'amount',
    message: `\`amount\` must be within the limits for the customer: ${rangeText(limits)}.`,
  });
}

/** The note is one more pair of metadata, and replaces none of the merchant's. */
export function assertRoomForNote({ askFor, metadata }: Pick<PaymentLink, 'askFor' | 'metadata'>): void {
  if (!askFor.includes('note')) return;
  if (!(NOTE_KEY in metadata) && Object.keys(metadata).length < LIMITS.metadataPairs) return;
  fail(CODE, {
    param: 'ask_for',
    message:
      `The note becomes \`${NOTE_KEY}\` in the \`metadata\`, so a link that asks for one has at most ` +
      `${LIMITS.metadataPairs - 1} pairs of its own, and none of that name.`,
  });
}

export function isWithin(
  amountMinor: bigint,
  { minAmountMinor: min, maxAmountMinor: max }: Pick<LinkTerms, 'minAmountMinor' | 'maxAmountMinor'>,
): boolean {
  return (min === null || amountMinor >= min) && (max === null || amountMinor <= max);
}

export function rangeText({ minAmountMinor: min, maxAmountMinor: max }: Partial<LinkTerms>): string {
  return `${formatDisplayAmount(min ?? LEAST_MINOR)} to ${formatDisplayAmount(max ?? MOST_MINOR)}`;
}

function limitsOf({ minAmountMinor, maxAmountMinor }: LinkTerms): Pick<LinkTerms, 'minAmountMinor' | 'maxAmountMinor'> {
  return { minAmountMinor, maxAmountMinor };
}

function readLimits(open: NonNullable<TermsInput['open_amount']> | null) {
  if (open === null) return { minAmountMinor: null, maxAmountMinor: null };
  const [min, max] = [open.min, open.max].map((text) => (text === undefined ? undefined : parseDisplayAmount(text)));
  const limits = { minAmountMinor: min ?? LEAST_MINOR, maxAmountMinor: max ?? MOST_MINOR };
  invariant(limits.minAmountMinor > 0n, 'the schema lets only display amounts through');
  if (limits.minAmountMinor > limits.maxAmountMinor)
    fail(CODE, { param: 'open_amount.max', message: '`open_amount.max` must not be less than `open_amount.min`.' });
  return limits;
}

/** The limits as the API and the page show them; null if the amount is fixed. */
export function presentLimits({ minAmountMinor: min, maxAmountMinor: max }: LinkTerms) {
  return min === null || max === null ? null : { min: formatDisplayAmount(min), max: formatDisplayAmount(max) };
}
