import type { Caller } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { presentQuote, type Quote } from './present.ts';

/** Stores a quote as it was returned, for later questions about it. Its row has real time, which pruning goes by. */
export async function insertQuote(db: Db, caller: Caller, quote: Quote): Promise<void> {
  await db.query(
    'insert_quote',
    `
    insert into quotes (id, account_id, livemode, body, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)`,
    [
      quote.id,
      caller.id,
      caller.livemode,
      JSON.stringify(presentQuote(quote)),
      caller.realNow,
      later(caller.realNow, quote.expiresInSeconds * SECOND_MS),
    ],
  );
}

/** Deletes a batch of quotes that expired before an instant; returns how many. */
export async function deleteQuotesBefore(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_quotes_before',
    `
    delete from quotes where id in (select id from quotes where expires_at < $1 order by expires_at limit $2 for update skip locked)
    returning id`,
    [before, limit],
  );
  return rows.length;
}
