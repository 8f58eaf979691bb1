import { isDeepStrictEqual } from 'node:util';
import type { BodyOf } from '@quittance/contract';
import type { importPayouts as endpoint } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { lockName, type Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { unsent } from '../outgoing-transfers/outgoing.ts';
import { checkCsv } from './check.ts';
import { MAX_OPEN_PAYOUTS, PLANNED_DAYS, type PayoutLine, type StoredPayout } from './payout.ts';
import { findImported, findOpenPayouts, writePayout } from './store.ts';

/** Plans every line of a CSV, or none. What a browser asks for again, because it saw no answer, is planned once. */
export async function importPayouts(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { csv, import: importName }: BodyOf<typeof endpoint>,
): Promise<{ imported: number }> {
  await lockName(db, `payouts ${caller.id} ${caller.livemode}`);
  const before = await findImported(db, caller, importName);
  const { lines, problems } = await checkCsv(ctx, db, caller, csv);
  if (before.length > 0) return isDeepStrictEqual(before, lines) ? { imported: before.length } : refuseName();
  const [first] = problems;
  if (first) fail('invalid_request', { param: 'csv', message: `Line ${first.line}: ${first.problem}` });
  const open = (await findOpenPayouts(db, caller)).length;
  if (open + lines.length > MAX_OPEN_PAYOUTS)
    fail('invalid_request', {
      param: 'csv',
      message: `At most ${MAX_OPEN_PAYOUTS} payouts can be planned or on their way, and ${open} are.`,
    });
  for (const line of lines) await writePayout(db, newPayout(caller, importName, line));
  return { imported: lines.length };
}

function refuseName(): never {
  return fail('invalid_request', {
    param: 'import',
    message: 'Another CSV was imported by this name. Nothing was added.',
  });
}

function newPayout({ id, livemode, now, realNow }: Caller, importName: string, line: PayoutLine): StoredPayout {
  return {
    ...line,
    id: newId('po'),
    accountId: id,
    livemode,
    status: 'planned',
    importName,
    ...unsent(),
    dueAt: later(realNow, PLANNED_DAYS * DAY_MS),
    // A millisecond apart, so that the list keeps the order of the lines.
    createdAt: later(now, -line.line),
  };
}
