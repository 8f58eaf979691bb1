import type { Received } from '../../support/receiver.ts';
import type { Order } from './shop.ts';

/** Payments that were in the same state at the restore. */
export interface Group {
  name: string;
  orders: Order[];
}

interface Row {
  group: string;
  payments: number;
  paid: number;
  lost: number;
  'paid twice': number;
  'sent again': number;
}

export interface RestoreVerdict {
  rows: Row[];
  lost: number;
  /** Payments that a receiver fulfills twice although it ignores event ids that it knows. */
  paidTwice: number;
  /** Webhooks that a receiver ignores by their ids. */
  repeated: number;
  /** `payment.paid` of one payment under different ids. */
  renamed: number;
}

type Stored = ReadonlyMap<string, { id: string; status: string; tx_hashes: string[] }>;

/** Judges by the transfers on the chain, the current API responses and the webhooks that the merchant received. */
export function judge(groups: readonly Group[], received: readonly Received[], stored: Stored): RestoreVerdict {
  const eventsBySession = Map.groupBy(received, ({ event }) => event.data.session as string);
  const idsOf = ({ sessionId }: Order) =>
    new Set(eventsBySession.get(sessionId)?.map(({ event }) => event.id as string));
  const repeatsOf = (order: Order) => Math.max(0, (eventsBySession.get(order.sessionId)?.length ?? 0) - 1);
  const isLost = (order: Order) => {
    const payment = stored.get(order.sessionId);
    const counts = payment?.status === 'paid' && payment.tx_hashes.join() === order.txHash;
    return !counts || idsOf(order).size === 0;
  };
  const rows = groups.map(({ name, orders }) => ({
    group: name,
    payments: orders.length,
    paid: orders.filter((order) => stored.get(order.sessionId)?.status === 'paid').length,
    lost: orders.filter(isLost).length,
    'paid twice': orders.filter((order) => idsOf(order).size > 1).length,
    'sent again': orders.reduce((sum, order) => sum + repeatsOf(order), 0),
  }));
  const all = groups.flatMap(({ orders }) => orders);
  // Money that paid two payments would be one transaction in the list of both.
  const hashes = [...stored.values()].flatMap((payment) => payment.tx_hashes);
  const shared = hashes.length - new Set(hashes).size;
  return {
    rows,
    lost: all.filter(isLost).length,
    paidTwice: all.filter((order) => idsOf(order).size > 1).length + shared,
    repeated: all.reduce((sum, order) => sum + repeatsOf(order), 0),
    renamed: all.filter((order) => idsOf(order).size > 1).length,
  };
}

export function table(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {}) as (keyof Row)[];
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => String(row[name]).length)));
  const line = (cells: readonly unknown[]) =>
    cells
      .map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at] ?? 0) : String(cell).padStart(widths[at] ?? 0)))
      .join('  ');
  return [line(names), ...rows.map((row) => line(names.map((name) => row[name])))].join('\n');
}
