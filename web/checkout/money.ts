import type { PublicPaymentJson } from '@quittance/contract';

// Decimal strings are compared and divided as whole numbers; no float ever holds an amount.

/** Whether a decimal string is above zero. */
export function isPositive(amount: string): boolean {
  return !amount.startsWith('-') && /[1-9]/.test(amount);
}

/** `0.019600310000000000` as people write it: `0.01960031`. */
export function plainAmount(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

/** Two amounts of a coin, cut to the same number of decimals: `24.500000` beside `49.007151`. */
export function withSameDigits(seen: string, amount: string): { seen: string; amount: string } {
  const unused = Math.min(...[seen, amount].map((one) => one.length - plainAmount(one).length));
  const cut = (one: string) => one.slice(0, one.length - unused);
  return { seen: cut(seen), amount: cut(amount) };
}

/** `105.845236` as the customer's language writes it: `105,845236`. A copy and a code always have the point. */
export function coinAmount(amount: string, locale: string): string {
  return plainAmount(amount).replace('.', decimalMark(locale));
}

export function decimalMark(locale: string): string {
  return displayNumber('0.5', locale).charAt(1);
}

/** An estimate with four significant digits: `0.019600310000000000` as `0.0196`, `49.239899` as `49.24`. */
export function roughAmount(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  const zeros = fraction.length - fraction.replace(/^0+/, '').length;
  return rounded(units(amount), whole === '0' ? Math.min(zeros + 4, DECIMALS) : 2);
}

/** An amount as exchanges take it, with eight decimals: rounded up, because a conversion can fail for less. */
export function exchangeAmount(amount: string): string {
  const step = 10n ** BigInt(DECIMALS - EXCHANGE_DECIMALS);
  return decimal(((units(amount) + step - 1n) / step) * step);
}

/** How much more was sent than requested, or null. */
export function surplus(sent: string, asked: string): string | null {
  const difference = units(sent) - units(asked);
  return difference > 0n ? decimal(difference) : null;
}

type Sent = Pick<PublicPaymentJson, 'kind' | 'amount' | 'amount_received'>;

/** How much more than its price reached the merchant directly. */
export function surplusOf({ kind, amount, amount_received: received }: Sent): string | null {
  return kind === 'direct' ? surplus(received, amount) : null;
}

/** What a conversion's provider returns to the customer. The digits that an exchange rounds up are not worth the transfer. */
export function returnedOf({ kind, amount, amount_received: received }: Sent): string | null {
  return kind === 'routed' && differsNoticeably(amount, received) ? surplus(received, amount) : null;
}

/** Two amounts together. */
export function sum(one: string, other: string): string {
  return decimal(units(one) + units(other));
}

/** Whether a decimal string is less than 0.01. */
export function isBelowOneCent(amount: string): boolean {
  return !isPositive(amount.split('.')[0] ?? '') && !isPositive((amount.split('.')[1] ?? '').slice(0, 2));
}

/** Whether a price would be redundant. */
export function isOneToOne(asset: string, currency: string): boolean {
  return (asset === 'USDC' || asset === 'USDT') && currency === 'USD';
}

/** The price of one whole unit if `amount` costs `price`, to two places, or more below one. */
export function unitPrice(price: string, amount: string): string | null {
  const whole = units(amount);
  if (whole === 0n) return null;
  const scaled = (units(price) * SCALE) / whole;
  const places = scaled >= SCALE ? 2 : 6;
  return rounded(scaled, places, places === 2 ? 2 : 0);
}

/** Whether two amounts differ by more than half a percent. */
export function differsNoticeably(before: string, after: string): boolean {
  const [a, b] = [units(before), units(after)];
  return (a > b ? a - b : b - a) * 200n > a;
}

/** `49.00 USD` in the locale's format, always with the ISO code. */
export function displayMoney(amount: string, currency: string, locale: string): string {
  return `${displayNumber(amount, locale)} ${currency}`;
}

/** A decimal string in the locale's format, with the digits that wallets and exchanges accept. */
export function displayNumber(amount: string, locale: string): string {
  const places = amount.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat(locale, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    numberingSystem: 'latn',
  })
    .format(amount as unknown as number)
    .replace('-', '−');
}

const DECIMALS = 18;
const EXCHANGE_DECIMALS = 8;
const SCALE = 10n ** 18n;

function units(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
}

function rounded(value: bigint, places: number, minPlaces = 0): string {
  const step = 10n ** BigInt(DECIMALS - places);
  return decimal(((value + step / 2n) / step) * step, minPlaces);
}

function decimal(value: bigint, minPlaces = 0): string {
  const digits = value.toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(minPlaces, '0');
  return fraction ? `${digits.slice(0, -DECIMALS)}.${fraction}` : digits.slice(0, -DECIMALS);
}
