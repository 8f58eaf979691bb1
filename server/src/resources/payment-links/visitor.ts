import type { BodyOf, endpoints, LinkQuestion } from '@quittance/contract';
import { NOTE_KEY } from '@quittance/contract/customer-note';
import { requireEmailAddress } from '../../platform/email-address.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { parseDisplayAmount } from '../../platform/money.ts';
import type { PaymentLink } from './link.ts';
import { isWithin, rangeText } from './terms.ts';

/** What a person who opens a link says. */
export type Visitor = BodyOf<typeof endpoints.openPaymentLink>;

const CODE = 'invalid_request';

/**
 * The link with what its visitor said: the amount, who they are, and a note. What it does not ask for is ignored, and
 * what the merchant said of the customer is not replaced.
 */
export function visited(link: PaymentLink, visitor: Visitor | null): PaymentLink {
  if (visitor === null) return link;
  const name = answer(link, visitor, 'name');
  const email = answer(link, visitor, 'email');
  const note = answer(link, visitor, 'note');
  return {
    ...link,
    amountMinor: amountOf(link, visitor),
    customer:
      name === null && email === null
        ? link.customer
        : {
            name: link.customer?.name ?? name,
            email: link.customer?.email ?? email,
            reference: link.customer?.reference ?? null,
          },
    metadata: note ? { ...link.metadata, [NOTE_KEY]: note } : link.metadata,
  };
}

/** What a link may ask of who opens it. */
export type Answered = 'amount' | LinkQuestion;

/** One answer; fails if it is refused. */
export function readAnswer(link: PaymentLink, visitor: Visitor, field: Answered): bigint | string | null {
  return field === 'amount' ? amountOf(link, visitor) : answer(link, visitor, field);
}

/** What the link asks for is required, but for a note without a label; null if it does not ask. */
function answer(link: PaymentLink, visitor: Visitor, question: LinkQuestion): string | null {
  if (!link.askFor.includes(question)) return null;
  const text = visitor[question]?.trim();
  if (text) return question === 'email' ? requireEmailAddress(text, question, CODE) : text;
  if (question === 'note' && link.noteLabel === null) return null;
  return fail(CODE, { param: question, message: `This link asks its customer for \`${question}\`. Send it.` });
}

function amountOf(link: PaymentLink, { amount }: Visitor): bigint {
  if (link.minAmountMinor === null) return link.amountMinor;
  const message = `\`amount\` must be ${rangeText(link)}, with at most two decimals.`;
  if (amount === undefined) return fail(CODE, { param: 'amount', message });
  const amountMinor = parseDisplayAmount(amount);
  invariant(amountMinor !== undefined, 'the schema lets only display amounts through');
  return isWithin(amountMinor, link) ? amountMinor : fail(CODE, { param: 'amount', message });
}
