import { readFileSync, writeFileSync } from 'node:fs';
import { errorVectors } from './vectors/errors.ts';
import { idempotencyVectors } from './vectors/idempotency.ts';
import { moneyVectors } from './vectors/money.ts';
import { paginationVectors } from './vectors/pagination.ts';
import { receiptVectors } from './vectors/receipts.ts';
import { webhookVectors } from './vectors/webhooks.ts';

const FOLDER = new URL('../contract/vectors/', import.meta.url);

/** The contents of `contract/vectors`, by the name of the file: cases that every client must pass. */
const VECTORS = {
  webhooks: webhookVectors,
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
