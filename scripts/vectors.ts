import { readFileSync, writeFileSync } from 'node:fs';
import { bodyVectors } from './vectors/bodies.ts';
import { errorVectors } from './vectors/errors.ts';
import { paginationVectors } from './vectors/pagination.ts';
import { receiptVectors } from './vectors/receipts.ts';
import { webhookVectors } from './vectors/webhooks.ts';
import { endpoints } from '@quittance/contract';
import { formatDisplayAmount, parseDisplayAmount } from '../server/src/platform/money.ts';

const FOLDER = new URL('../contract/vectors/', import.meta.url);

/** The contents of `contract/vectors`, by the name of the file: cases that every client must pass. */
const VECTORS = {
  webhooks: webhookVectors,
  bodies: bodyVectors,
  errors: errorVectors,
  idempotency: idempotencyVectors,
  pagination: paginationVectors,
  money: moneyVectors,
  receipts: receiptVectors,
};

export type VectorFile = keyof typeof VECTORS;
export const VECTOR_FILES = Object.keys(VECTORS) as VectorFile[];

/** The text of a file, made with the code of the server. */
export function vectorText(name: VectorFile): string {
  return `${JSON.stringify(VECTORS[name](), null, 1)}\n`;
}

/** The committed cases. */
export function readVectors<Name extends VectorFile>(name: Name): ReturnType<(typeof VECTORS)[Name]> {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
}

export function writeVectors(): void {
  for (const name of VECTOR_FILES) writeFileSync(new URL(`${name}.json`, FOLDER), vectorText(name));
}

/** Every POST of the API. */
function idempotencyVectors(): { path: string; keyed: boolean }[] {
  return Object.values(endpoints)
    .filter(({ method }) => method === 'POST')
    .map(({ path, idempotent }) => ({ path: path.replaceAll(/\{\w+\}/g, 'id_1'), keyed: idempotent }));
}

interface MoneyVectors {
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
function moneyVectors(): MoneyVectors {
  return {
    accepted: ACCEPTED.map((text) => ({ text, minor: String(parseDisplayAmount(text)) })),
    refused: REFUSED,
    written: [0n, 1n, 29n, 100n, 4_900n, 8_192n, 99_999_999_999n, 9_007_199_254_740_993n].map((minor) => ({
      minor: String(minor),
      text: formatDisplayAmount(minor),
    })),
  };
}
