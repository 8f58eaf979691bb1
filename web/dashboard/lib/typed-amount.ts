import { LARGEST_AMOUNT } from '@quittance/contract/cents';
import type { Language } from './i18n.tsx';

/**
 * The amount that a person means, as the service takes it: `49,50`, `1.250,50` and `1,250.50` are read whatever the
 * language. Null for any other text, and for what could be two amounts: `1.250` is a thousand in one language and one in
 * another. An amount of a coin has more `decimals`, and a `1.250` with the decimal sign of the `locale` is 1.25 of it where
 * 1250 are more than there are at `most`.
 */
export function readAmount(typed: string, decimals = 2, coin?: { most: string; locale: string }): string | null {
  const text = inAscii(typed.trim());
  if (isAmbiguous(text)) {
    const isDecimal = coin !== undefined && text.includes(inAscii(typedIn(coin.locale, '0.5')).charAt(1));
    return isDecimal && Number(text.replace(/[.,]/, '')) > Number(coin.most) ? text.replace(',', '.') : null;
  }
  const [whole, cents] = split(text, decimals);
  if (whole === null) return null;
  const units = whole.replace(/[.,' ]/g, '');
  return /^\d{1,9}$/.test(units) ? units + (cents && `.${cents}`) : null;
}

/** An amount as a person of this language types it, with all of its decimals. */
export function typedIn(locale: string, amount: string): string {
  const minimumFractionDigits = amount.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits, useGrouping: false });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** What the service gets: what was meant, or else what was typed, which it refuses. */
export function sentAmount(typed: string): string {
  return readAmount(typed) ?? typed.trim();
}

/** What is wrong with a typed amount; false if it is one. */
export function amountProblem(
  typed: string,
  { t, locale }: Pick<Language, 't' | 'locale'>,
  decimals = 2,
): string | false {
  if (isAmbiguous(typed))
    return t('Unclear: this could mean a thousand times more. Write it with two decimals, such as 1250.00 or 1.25.');
  const amount = readAmount(typed, decimals);
  if (amount !== null) return !/[1-9]/.test(amount) && t('At least {amount}', { amount: least(locale, decimals) });
  if (readAmount(typed, MOST_DIGITS) !== null) return t('At most {number} decimals', { number: String(decimals) });
  if (isTooLong(typed)) return t('At most {amount}', { amount: typedIn(locale, LARGEST_AMOUNT) });
  return t('Enter a number such as {amount}.', { amount: typedIn(locale, '12.50') });
}

/** Whether the text is a number of more digits than an amount has. */
function isTooLong(typed: string): boolean {
  const text = inAscii(typed.trim());
  return /^[\d.,' ]+$/.test(text) && text.replace(/\D/g, '').length > LARGEST_AMOUNT.indexOf('.');
}

/** A whole number. `1.000` is a thousand in every language, because nothing is counted in thousandths. */
export function readCount(typed: string): string | null {
  const count = readAmount(isAmbiguous(typed) ? inAscii(typed.trim()).replace(/[.,]/, '') : typed);
  return count === null || count.includes('.') ? null : count;
}

/** What the service gets: the count, or else what was typed, which it refuses. Null for nothing. */
export function sentCount(typed: string): number | string | null {
  const count = readCount(typed);
  return count === null ? typed.trim() || null : Number(count);
}

/** What is wrong with a typed count; false if it is one. */
export function countProblem(typed: string, most: number, { t, locale }: Pick<Language, 't' | 'locale'>) {
  const count = readCount(typed);
  if (count === null) return t('Enter a number such as {amount}.', { amount: typedIn(locale, '100') });
  if (Number(count) < 1) return t('At least {amount}', { amount: typedIn(locale, '1') });
  return Number(count) > most && t('At most {amount}', { amount: typedIn(locale, String(most)) });
}

/** What is wrong with a typed percentage; false if it is one. */
export function percentProblem(typed: string, most: number, { t, locale }: Pick<Language, 't' | 'locale'>) {
  const percent = readAmount(typed);
  if (percent === null) return t('Enter a number such as {amount}.', { amount: typedIn(locale, '0.5') });
  return Number(percent) > most && t('At most {amount}', { amount: `${typedIn(locale, String(most))}%` });
}

function least(locale: string, decimals: number): string {
  return typedIn(locale, `0.${'1'.padStart(decimals, '0')}`);
}

/** Whether the text could be two amounts, a thousand times apart: `1.250`. */
export function isAmbiguous(typed: string): boolean {
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(inAscii(typed.trim()));
}

/** More decimals than any amount that a person types. */
const MOST_DIGITS = 100;

/** Splits off the cents: one or two digits after the last sign, or as many as a coin has. `.5` is half of one. */
function split(text: string, decimals: number): [whole: string | null, cents: string] {
  const cents = new RegExp(`^(.*\\d|)([.,])(\\d{1,${decimals}})$`);
  const [, before = text, sign = '', digits = ''] = cents.exec(text) ?? [];
  if (before === '' && digits) return ['0', digits];
  return [isGrouped(before, sign) ? before : null, digits];
}

/** Digits alone, or in groups of one sign, which is not the decimal one. */
function isGrouped(whole: string, decimal: string): boolean {
  if (/^\d+$/.test(whole)) return true;
  const [sign = ''] = /[.,' ]/.exec(whole) ?? [];
  const groups = whole.split(sign);
  // India groups by two before the last three.
  const areOfThree = groups.slice(1).every((group) => /^\d{3}$/.test(group));
  const areIndian = sign === ',' && groups.slice(1, -1).every((group) => /^\d{2}$/.test(group));
  return (
    sign !== decimal &&
    /^[1-9]\d{0,2}$/.test(groups[0] ?? '') &&
    (areOfThree || areIndian) &&
    /^\d{3}$/.test(groups.at(-1) ?? '')
  );
}

const ZEROS = ['\u0660', '\u06F0', '\u0966'];

/** Arabic, Persian and Hindi digits, the Arabic signs, and the spaces and apostrophes between groups. */
function inAscii(text: string): string {
  const digits = ZEROS.reduce(
    (all, zero) =>
      all.replace(/\p{Nd}/gu, (digit) => {
        const value = digit.charCodeAt(0) - zero.charCodeAt(0);
        return value >= 0 && value <= 9 ? String(value) : digit;
      }),
    text,
  );
  return digits
    .replace(/[\u200E\u200F\u061C\u2066-\u2069]/g, '')
    .replace(/\u066B/g, '.')
    .replace(/\u066C/g, ',')
    .replace(/[\u00A0\u202F]/g, ' ')
    .replace(/\u2019/g, "'");
}
