import { toCents, fromCents } from '@quittance/contract/cents';
import type { PublicSession } from './page-state.ts';

type Item = NonNullable<PublicSession['line_items']>[number];

export interface OrderLine {
  name: string;
  quantity: number;
  /** The unit price, if it is known. */
  unit: string | null;
  /** The total of the line. */
  amount: string;
}

/**
 * The lines of an order with their totals, and the rest of the amount due. Without unit prices, `amount` may mean
 * either, so it is read as the unit price if the lines then add up, otherwise as the total.
 */
export function orderLines(items: readonly Item[], amount: string): { lines: OrderLine[]; rest: string | null } {
  const due = toCents(amount);
  const asTotals = items.map(toLine);
  if (sumOf(asTotals) === due) return { lines: asTotals, rest: null };

  const asUnits = items.map((item) =>
    item.unit_amount === undefined ? { ...toLine(item), unit: item.amount, amount: timesQuantity(item) } : toLine(item),
  );
  if (sumOf(asUnits) === due) return { lines: asUnits, rest: null };
  return { lines: asTotals, rest: fromCents(due - sumOf(asTotals)) };
}

function toLine({ name, quantity, amount, unit_amount: unit }: Item): OrderLine {
  return { name, quantity, unit: unit ?? null, amount };
}

function timesQuantity({ quantity, amount }: Item): string {
  return fromCents(BigInt(quantity) * toCents(amount));
}

function sumOf(lines: readonly OrderLine[]): bigint {
  return lines.reduce((sum, line) => sum + toCents(line.amount), BigInt(0));
}
