/**
 * The amount that a person means, as the service takes it: `49,50`, `1.250,50` and `1,250.50` are read whatever the
 * language. Null for any other text, and for what could be two amounts: `1.250` is a thousand in one language and one in
 * another. An amount of a coin may have more `decimals`. With `coin`, `1.250` is read as 1.25 if the point is the decimal
 * sign of `locale` and 1250 is more than `most`.
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

/** Whether the text could be two amounts, a thousand times apart: `1.250`. */
export function isAmbiguous(typed: string): boolean {
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(inAscii(typed.trim()));
}

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
export function inAscii(text: string): string {
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
