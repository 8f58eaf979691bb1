import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentPayment, presentUnits } from '../../settlement/records/present-payment.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';
import { ACCEPTING_STATUSES } from '../transfers/assign.ts';
import { findReach, isElsewhere, type Reach } from '../transfers/elsewhere.ts';
import { ownTransfer } from '../transfers/own-transfer.ts';
import type { SuggestedPaymentJson } from '@quittance/contract/dashboard';
import { findSuggestedPayments } from './suggest-payments-store.ts';
import { NEAR_BPS, rankSuggested, type RankedPayment } from './rank-suggested.ts';
import { findByOrder, findPaymentsById } from './search-store.ts';

const MAX_READ = 100;
const MAX_SHOWN = 8;
const LOOK_BACK_MS = 30 * DAY_MS;

/**
 * The payments that a transfer may have been meant for, the likeliest first, each with the reason. With a search, the
 * payments that match it.
 */
export async function suggestPayments(
  ctx: Context,
  account: Account,
  id: string,
  search: string | undefined,
): Promise<SuggestedPaymentJson[]> {
  const { transfer, payment } = await ownTransfer(ctx.db, account, id);
  const namedId = payment?.id ?? null;
  const wanted = search?.trim();
  const found = wanted
    ? await searchPayments(ctx.db, account, wanted)
    : await findAround(ctx.db, account, transfer, namedId);
  const ranked = rankSuggested(found, transfer, { namedId, keepsAll: Boolean(wanted) });
  const shown = ranked.slice(0, MAX_SHOWN);
  const far = shown.filter((one) => one.accepts && isElsewhere(transfer, one.payment));
  const networks = [...new Set(far.map(({ payment }) => payment.receiveNetwork))];
  const reaches = new Map(
    await Promise.all(networks.map(async (due) => [due, await findReach(ctx, account, transfer, due)] as const)),
  );
  return shown.map((one) => present(ctx, one, (far.includes(one) && reaches.get(one.payment.receiveNetwork)) || null));
}

function present(
  ctx: Context,
  { payment, accepts, isNamed, differenceUnits }: RankedPayment,
  reach: Reach | null,
): SuggestedPaymentJson {
  return {
    payment: presentPayment(ctx, payment),
    accepts: accepts && reach !== 'contract' && reach !== 'unknown',
    reach,
    is_named: isNamed,
    difference:
      differenceUnits === null ? null : presentUnits(differenceUnits, payment.receiveAsset, payment.receiveNetwork),
  };
}

async function searchPayments(db: Db, account: Account, text: string): Promise<Payment[]> {
  const ids = isId('pay', text) ? [text] : await findByOrder(db, account, text, MAX_READ);
  return findPaymentsById(db, account, ids);
}

async function findAround(
  db: Db,
  account: Account,
  transfer: StoredTransfer,
  namedId: string | null,
): Promise<Payment[]> {
  const ids = await findSuggestedPayments(db, account, transfer, {
    statuses: ACCEPTING_STATUSES,
    from: later(transfer.block.time, -LOOK_BACK_MS),
    until: later(transfer.block.time, DAY_MS),
    steps: NEAR_BPS,
    limit: MAX_READ,
  });
  const payments = await findPaymentsById(db, account, namedId === null ? ids : [...ids, namedId]);
  return namedId === null || payments.some(({ id }) => id === namedId) ? payments : fail('not_found', { param: 'id' });
}
