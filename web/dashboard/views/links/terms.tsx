import type { ReactNode } from 'react';
import type { LinkQuestion } from '@quittance/contract';
import { money } from '../../lib/format.ts';
import { type Language, useLanguage } from '../../lib/i18n.tsx';
import type { PaymentLinkJson } from '../../lib/types.ts';
import { TextField } from '../../ui/basic.tsx';
import { CheckBox, TickList } from '../../ui/choices.tsx';

/** What a form says of whom a link asks for what, and how long it takes payments. */
export interface TermsForm {
  askFor: readonly LinkQuestion[];
  isOpen: boolean;
  min: string;
  max: string;
  /** The last day, as `2027-01-31`. */
  lastDay: string;
  maxPayments: string;
}

const QUESTIONS: readonly LinkQuestion[] = ['name', 'email', 'note'];
const DAY_MS = 86_400_000;
/** The limits of a link that names none. */
const [NO_MIN, NO_MAX] = ['0.01', '999999999.99'];

export function termsOf(link: PaymentLinkJson | undefined): TermsForm {
  return {
    askFor: link?.ask_for ?? [],
    isOpen: Boolean(link?.open_amount),
    min: link?.open_amount?.min ?? '',
    max: link?.open_amount?.max ?? '',
    lastDay: link?.ends_at ? new Date(Date.parse(link.ends_at) - 1).toISOString().slice(0, 10) : '',
    maxPayments: link?.max_payments?.toString() ?? '',
  };
}

/**
 * The fields of a request. The link ends with its last day, in UTC; one that is edited keeps the hour that the API gave
 * it, unless the day was changed.
 */
export function termsBody({ askFor, isOpen, min, max, lastDay, maxPayments }: TermsForm, edited?: PaymentLinkJson) {
  const limits = { ...(min.trim() && { min: min.trim() }), ...(max.trim() && { max: max.trim() }) };
  const isSameDay = edited !== undefined && termsOf(edited).lastDay === lastDay;
  return {
    ask_for: askFor,
    open_amount: isOpen ? limits : null,
    ...(!isSameDay && { ends_at: lastDay ? new Date(Date.parse(lastDay) + DAY_MS).toISOString() : null }),
    max_payments: maxPayments.trim() ? Number(maxPayments) : null,
  };
}

/** Whether the form says more than a description and an amount. */
export function hasTerms({ askFor, isOpen, lastDay, maxPayments }: TermsForm): boolean {
  return askFor.length > 0 || isOpen || lastDay !== '' || maxPayments !== '';
}

export function isAmount(text: string): boolean {
  return /^\d{1,9}(\.\d{1,2})?$/.test(text.trim());
}

/** What a link charges: an amount, or what customers may enter. */
export function chargeOf({ amount, currency, open_amount: open }: PaymentLinkJson, { t, locale }: Language): string {
  if (!open) return money(locale, amount, currency);
  const [min, max] = [money(locale, open.min, currency), money(locale, open.max, currency)];
  if (open.max !== NO_MAX) return open.min === NO_MIN ? t('Up to {amount}', { amount: max }) : `${min} – ${max}`;
  return open.min === NO_MIN ? t('Any amount') : t('From {amount}', { amount: min });
}

/** Whether the link opens no checkouts any more, although it is not disabled. */
export function hasEnded({ ends_at: end, max_payments: max, payments }: PaymentLinkJson): boolean {
  return (end !== null && Date.parse(end) <= Date.now()) || (max !== null && payments >= max);
}

export function TermsFields({
  terms,
  onChange,
  errorOf,
}: {
  terms: TermsForm;
  onChange: (terms: TermsForm) => void;
  errorOf: (name: string) => ReactNode;
}) {
  const { t } = useLanguage();
  const set = (change: Partial<TermsForm>) => onChange({ ...terms, ...change });
  const texts: Record<LinkQuestion, string> = { name: t('Name'), email: t('Email address'), note: t('Note') };
  return (
    <>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">{t('Ask the customer for')}</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          <TickList
            values={QUESTIONS}
            chosen={terms.askFor}
            onChange={(askFor) => set({ askFor })}
            show={(one) => texts[one]}
          />
        </div>
      </fieldset>
      <CheckBox
        label={t('Customers decide how much they pay')}
        hint={t('The page suggests what you enter above.')}
        checked={terms.isOpen}
        onChange={(isOpen) => set({ isOpen })}
      />
      {terms.isOpen && <Limits terms={terms} set={set} errorOf={errorOf} />}
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
          type="number"
          min={1}
          max={1_000_000}
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
  set,
  errorOf,
}: {
  terms: TermsForm;
  set: (change: Partial<TermsForm>) => void;
  errorOf: (name: string) => ReactNode;
}) {
  const { t } = useLanguage();
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      <TextField
        label={t('At least')}
        inputMode="decimal"
        value={terms.min}
        error={errorOf('open_amount.min')}
        onChange={(event) => set({ min: event.target.value })}
        placeholder="0.01"
      />
      <TextField
        label={t('At most')}
        inputMode="decimal"
        value={terms.max}
        error={errorOf('open_amount.max')}
        onChange={(event) => set({ max: event.target.value })}
      />
    </div>
  );
}
