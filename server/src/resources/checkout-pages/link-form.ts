import { LinkVisitorInput } from '@quittance/contract';
import { readAmount } from '@quittance/contract/typed-amount';
import { ApiError } from '../../platform/errors.ts';
import { refuseBadText } from '../../platform/http/validation/text.ts';
import { bodyCheck } from '../../platform/http/validation/validate.ts';
import type { PaymentLink } from '../payment-links/link.ts';
import { type Answered, readAnswer, type Visitor } from '../payment-links/visitor.ts';

/** What was typed into the form of a payment link. */
export type Typed = Record<string, string | undefined>;

/** What the form says, by the rules of the API. Fields that are left empty say nothing. */
export function readVisitor({ currency }: PaymentLink, typed: Typed): Visitor {
  const body = Object.fromEntries(Object.entries(typed).filter(([, text]) => text?.trim())) as Visitor;
  if (body.amount !== undefined) body.amount = readAmount(withoutCurrency(body.amount, currency)) ?? body.amount.trim();
  refuseBadText(body, 'invalid_request');
  const problem = checkVisitor(body, 'invalid_request');
  if (problem) throw problem;
  return body;
}

const checkVisitor = bodyCheck(LinkVisitorInput);

/** The sign or code of the link's own currency may stand at either end. Any other stays, and is refused: `€25` is not `$25`. */
function withoutCurrency(typed: string, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  const sign = format.formatToParts(0n).find(({ type }) => type === 'currency')?.value ?? currency;
  return [currency, sign].reduce((text, mark) => {
    if (text.startsWith(mark)) return text.slice(mark.length).trim();
    return text.endsWith(mark) ? text.slice(0, -mark.length).trim() : text;
  }, typed.trim().toUpperCase());
}

/**
 * `refused`, and every other field that would be refused too, each read by itself. `refused` is taken as given, because the link
 * may have changed since.
 */
export function refusedFields(link: PaymentLink, typed: Typed, refused: string): string[] {
  const asked: Answered[] = [...(link.minAmountMinor === null ? [] : ['amount' as const]), ...link.askFor];
  const others = asked.filter((field) => {
    try {
      readAnswer(link, readVisitor(link, { [field]: typed[field] }), field);
      return false;
    } catch (error) {
      if (error instanceof ApiError) return true;
      throw error;
    }
  });
  return [refused, ...others];
}
