import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';

/**
 * When a change happened for its account (in test mode by the test clock), written into events, and when the database
 * recorded it.
 */
export interface Instants {
  created: Date;
  recorded: Date;
}

/** A transaction that may change payments, and the instants of its changes. */
export interface Settlement {
  ctx: Pick<Context, 'db' | 'prices' | 'log' | 'config'>;
  db: Transaction;
  at: Instants;
}
