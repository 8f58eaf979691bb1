import { isAmbiguous, readAmount, typedIn } from '@quittance/contract/typed-amount';
import type { ReactNode } from 'react';
import type { LinkQuestion } from '@quittance/contract';
import { LARGEST_AMOUNT, LEAST_AMOUNT } from '@quittance/contract/cents';
import { money } from '../../lib/format.ts';
import { type Language, type Translate, useLanguage } from '../../lib/i18n.tsx';
import { amountProblem, sentAmount, sentCount } from '../../lib/typed-amount.ts';
import type { Currency, PaymentLinkJson, PayoutWalletJson } from '../../lib/types.ts';
import { TextField } from '../../ui/basic.tsx';
import { CheckBox, TickList } from '../../ui/choices.tsx';

/** What a form says of whom a link asks for what, and how long it takes payments. */
export interface TermsForm {
  askFor: readonly LinkQuestion[];
  noteLabel: string;
  isOpen: boolean;
  min: string;
  max: string;
  /** The last day, as `2027-01-31`. */
  lastDay: string;
  maxPayments: string;
}

const QUESTIONS: readonly LinkQuestion[] = ['name', 'email', 'note'];
const DAY_MS = 86_400_000;

export function termsOf(link: PaymentLinkJson | undefined): TermsForm {
  return {
    askFor: link?.ask_for ?? [],
    noteLabel: link?.note_label ?? '',
    isOpen: Boolean(link?.open_amount),
    min: limitOf(link?.open_amount?.min, LEAST_AMOUNT),
    max: limitOf(link?.open_amount?.max, LARGEST_AMOUNT),
    lastDay: link?.ends_at ? new Date(Date.parse(link.ends_at) - 1).toISOString().slice(0, 10) : '',
    maxPayments: link?.max_payments?.toString() ?? '',
  };
}

function limitOf(limit: string | undefined, none: string): string {
  return limit === undefined || limit === none ? '' : limit;
}

/** The amount as a form begins with it: where customers decide, the least one suggests nothing. */
export function amountOf(link: PaymentLinkJson | undefined): string {
  return link === undefined || link.amount === link.open_amount?.min ? '' : link.amount;
}

/** The amount of a request, which needs one: the least, where customers decide and nothing is suggested to them. */
export function amountBody(typed: string, { isOpen, min }: TermsForm): string {
  return isOpen && typed.trim() === '' ? (readAmount(min) ?? LEAST_AMOUNT) : sentAmount(typed);
}

/**
 * The fields of a request. The link ends with its last day, in UTC; one that is edited keeps the hour that the API gave
 * it, unless the day was changed.
 */
export function termsBody(terms: TermsForm, edited?: PaymentLinkJson) {
  const { askFor, noteLabel, isOpen, min, max, lastDay, maxPayments } = terms;
  const limits = { ...(min.trim() && { min: sentAmount(min) }), ...(max.trim() && { max: sentAmount(max) }) };
  const isSameDay = edited !== undefined && termsOf(edited).lastDay === lastDay;
  return {
    ask_for: askFor,
    note_label: (askFor.includes('note') && noteLabel.trim()) || null,
    open_amount: isOpen ? limits : null,
    ...(!isSameDay && { ends_at: lastDay ? new Date(Date.parse(lastDay) + DAY_MS).toISOString() : null }),
    max_payments: sentCount(maxPayments),
  };
}

/** Whether the form says what few links need. */
export function hasTerms({ isOpen, lastDay, maxPayments }: TermsForm): boolean {
  return isOpen || lastDay !== '' || maxPayments !== '';
}

/** How a typed amount was understood, or why it was not. Nothing while it says the same as what is sent. */
export function useUnderstood(currency: string): (typed: string) => string | false | undefined {
  const language = useLanguage();
  return (typed) => {
    if (isAmbiguous(typed)) return amountProblem(typed, language);
    const amount = readAmount(typed);
    return amount === null || amount === typed.trim() ? undefined : `= ${money(language.locale, amount, currency)}`;
  };
}

/** What a link charges: an amount, or what customers may enter. */
export function chargeOf(
  { amount, currency, open_amount: open }: Pick<PaymentLinkJson, 'amount' | 'currency' | 'open_amount'>,
  { t, locale }: Language,
): string {
  if (!open) return money(locale, amount, currency);
  const [min, max] = [money(locale, open.min, currency), money(locale, open.max, currency)];
  if (open.max !== LARGEST_AMOUNT)
    return open.min === LEAST_AMOUNT ? t('Up to {amount}', { amount: max }) : `${min} – ${max}`;
  return open.min === LEAST_AMOUNT ? t('Any amount') : t('From {amount}', { amount: min });
}

/** What the link of a form would charge. Null until its amount can be read. */
export function typedCharge(typed: string, terms: TermsForm, currency: Currency, language: Language): string | null {
  const amount = readAmount(amountBody(typed, terms));
  const limits = { min: readAmount(terms.min) ?? LEAST_AMOUNT, max: readAmount(terms.max) ?? LARGEST_AMOUNT };
  return amount && chargeOf({ amount, currency, open_amount: terms.isOpen ? limits : null }, language);
}

/** Whether the link opens no checkouts any more, although it is not disabled. */
export function hasEnded({ ends_at: end, max_payments: max, payments }: PaymentLinkJson, wallet?: PayoutWalletJson) {
  return (end !== null && Date.parse(end) <= Date.now()) || (max !== null && payments >= max) || isClosed(wallet);
}

function isClosed(wallet: PayoutWalletJson | undefined): boolean {
  return wallet !== undefined && (wallet.archived || wallet.unfit !== null || wallet.waits_for !== null);
}

/** What ended the link, or its last day; null if nothing ends it. */
export function whyEnds(link: PaymentLinkJson, { t, locale }: Language, wallet?: PayoutWalletJson): string | null {
  const { max_payments: max, payments, ends_at: end } = link;
  if (max !== null && payments > max) return t('Limit exceeded by {number}', { number: String(payments - max) });
  if (max !== null && payments === max) return t('Limit reached');
  if (isClosed(wallet)) return t('Its payout wallet takes no new payments');
  if (end === null) return null;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return t('Last day: {day}', { day: format.format(new Date(termsOf(link).lastDay)) });
}

export function questionText(question: LinkQuestion, t: Translate): string {
  return { name: t('Name'), email: t('Email address'), note: t('Note') }[question];
}

interface TermsProps {
  terms: TermsForm;
  currency: string;
  onChange: (terms: TermsForm) => void;
  errorOf: (name: string) => ReactNode;
}

/** Who pays: nothing else says it, because a link has the same address for all. */
export function Questions({ terms, onChange, errorOf }: Pick<TermsProps, 'terms' | 'onChange' | 'errorOf'>) {
  const { t } = useLanguage();
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">{t('Ask the customer for')}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        <TickList
          values={QUESTIONS}
          chosen={terms.askFor}
          onChange={(askFor) => onChange({ ...terms, askFor })}
          show={(one) => questionText(one, t)}
        />
      </div>
      {terms.askFor.includes('note') && (
        <TextField
          label={t('What the note is called (optional)')}
          hint={t('For example “Order number”. Customers must then fill it in.')}
          maxLength={60}
          value={terms.noteLabel}
          error={errorOf('note_label')}
          onChange={(event) => onChange({ ...terms, noteLabel: event.target.value })}
        />
      )}
      {terms.askFor.length === 0 && (
        <p className="text-sm text-quiet">{t('Without a name or an email address, you can’t see who paid.')}</p>
      )}
    </fieldset>
  );
}

export function TermsFields({ terms, currency, onChange, errorOf }: TermsProps) {
  const { t } = useLanguage();
  const set = (change: Partial<TermsForm>) => onChange({ ...terms, ...change });
  return (
    <>
      <CheckBox
        label={t('Customers decide how much they pay')}
        hint={t('What you enter above is then a suggestion, and can be left out.')}
        checked={terms.isOpen}
        onChange={(isOpen) => set({ isOpen })}
      />
      {terms.isOpen && <Limits terms={terms} currency={currency} set={set} errorOf={errorOf} />}
      <div className="grid grid-cols-2 items-start gap-3">
        <TextField
          label={t('Last day (optional)')}
          type="date"
          value={terms.lastDay}
          error={errorOf('ends_at')}
          onChange={(event) => set({ lastDay: event.target.value })}
        />
        <TextField
          label={t('Payments at most (optional)')}
          hint={t('Checkouts that are already open can still be paid, so a few more payments are possible.')}
          inputMode="numeric"
          value={terms.maxPayments}
          error={errorOf('max_payments')}
          onChange={(event) => set({ maxPayments: event.target.value })}
        />
      </div>
    </>
  );
}

/** The least and the largest amount that a customer may enter. */
function Limits({
  terms,
  currency,
  set,
  errorOf,
}: {
  terms: TermsForm;
  currency: string;
  set: (change: Partial<TermsForm>) => void;
  errorOf: (name: string) => ReactNode;
}) {
  const { t, locale } = useLanguage();
  const understood = useUnderstood(currency);
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <TextField
        label={t('At least (optional)')}
        hint={understood(terms.min)}
        inputMode="decimal"
        value={terms.min}
        error={errorOf('open_amount.min')}
        onChange={(event) => set({ min: event.target.value })}
        placeholder={typedIn(locale, LEAST_AMOUNT)}
      />
      <TextField
        label={t('At most (optional)')}
        hint={understood(terms.max)}
        inputMode="decimal"
        value={terms.max}
        error={errorOf('open_amount.max')}
        onChange={(event) => set({ max: event.target.value })}
      />
    </div>
  );
}
