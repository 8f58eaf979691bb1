import { formatDisplayAmount, parseDisplayAmount } from '../../server/src/platform/money.ts';

export interface MoneyVectors {
  /** What a request may say, and the cents that the server reads. */
  accepted: { text: string; minor: string }[];
  /** What the server refuses with `invalid_checkout_session` and `param` `amount`. */
  refused: string[];
  /** Cents as answers write them. */
  written: { minor: string; text: string }[];
}

const ACCEPTED = ['49', '49.5', '49.50', '0.01', '0.1', '1', '1000000', '999999999.99', '0.29', '4503599.37'];
const REFUSED = [
  ...['', ' ', '0', '0.0', '0.00', '-1.00', '+1.00', '01.00', '.5', '1.', '1.001', '1,00', '1e3', '1000000000'],
  ...['49.00 ', ' 49.00', '49.00\n', '4 9', '0x10', 'NaN', 'Infinity', '٤٩', '４９.００', '49.00 USD', '1_000'],
];

/** Money is a decimal string on the wire, and whole cents in between: no client needs a floating-point number. */
export function moneyVectors(): MoneyVectors {
  return {
    accepted: ACCEPTED.map((text) => ({ text, minor: String(parseDisplayAmount(text)) })),
    refused: REFUSED,
    written: [0n, 1n, 29n, 100n, 4_900n, 8_192n, 99_999_999_999n, 9_007_199_254_740_993n].map((minor) => ({
      minor: String(minor),
      text: formatDisplayAmount(minor),
    })),
  };
}
