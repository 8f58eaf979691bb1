import { LARGEST_AMOUNT } from '@quittance/contract/cents';
import { inAscii, isAmbiguous, readAmount, typedIn } from '@quittance/contract/typed-amount';
import type { Language } from './i18n.tsx';

/** More decimals than any amount that a person types. */
const MOST_DIGITS = 100;

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
