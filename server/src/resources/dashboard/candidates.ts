import type { PaymentStatus } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { PAYMENT_COLUMNS, type PaymentRow, toPayment } from '../../settlement/records/payment-store.ts';
import { presentPayment, presentUnits } from '../../settlement/records/present-payment.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';
import { ACCEPTING_STATUSES } from '../transfers/accepting.ts';
import { ownTransfer } from '../transfers/own-transfer.ts';
import type { CandidateJson } from '@quittance/contract/dashboard';
import { rankCandidates, type Ranked } from './rank-candidates.ts';
import { findByOrder, findPaymentsById } from './search-store.ts';

const MAX_READ_OF_A_KIND = 100;
const MAX_SHOWN = 8;
const LOOK_BACK_MS = 30 * DAY_MS;

/** The payments that a transfer may have been meant for, the likeliest first, each with the reason. Or those that were searched for. */
export async function findCandidates(
  ctx: Context,
  account: Account,
  id: string,
  search: string | undefined,
): Promise<CandidateJson[]> {
  const { transfer, payment: namedId } = await ownTransfer(ctx.db, account, id);
  const wanted = search?.trim();
  const found = wanted
    ? await searchPayments(ctx.db, account, wanted)
    : await findAround(ctx.db, account, transfer, namedId);
  const ranked = rankCandidates(found, transfer, { namedId, keepsAll: Boolean(wanted) });
  return ranked.slice(0, MAX_SHOWN).map((one) => present(ctx, one));
}

function present(ctx: Context, { payment, accepts, isNamed, differenceUnits }: Ranked): CandidateJson {
  return {
    payment: presentPayment(ctx, payment),
    accepts,
    is_named: isNamed,
    difference:
      differenceUnits === null ? null : presentUnits(differenceUnits, payment.receiveAsset, payment.receiveNetwork),
  };
}

async function searchPayments(db: Db, account: Account, text: string): Promise<Payment[]> {
  const ids = isId('pay', text) ? [text] : await findByOrder(db, account, text, MAX_READ_OF_A_KIND);
  return findPaymentsById(db, account, ids);
}

async function findAround(
  db: Db,
  account: Account,
  transfer: StoredTransfer,
  namedId: string | null,
): Promise<Payment[]> {
  const rows = await db.query<PaymentRow>('find_transfer_candidates', CANDIDATES, [
    account.id,
    account.livemode,
    ACCEPTING_STATUSES satisfies readonly PaymentStatus[],
    later(transfer.block.time, -LOOK_BACK_MS),
    later(transfer.block.time, DAY_MS),
    transfer.to,
    transfer.network,
    transfer.asset,
    MAX_READ_OF_A_KIND,
  ]);
  const payments = rows.map(toPayment);
  if (namedId === null || payments.some(({ id }) => id === namedId)) return payments;
  const [named] = await findPaymentsById(db, account, [namedId]);
  return named ? [named, ...payments] : fail('not_found', { param: 'id' });
}

// Each status and route is read in the order of its index, the newest at the time of the transfer first.
const CANDIDATES = `
    select ${PAYMENT_COLUMNS}
      from unnest($3::text[]) as wanted (status)
     cross join unnest(array['direct', 'routed']) as kind (route)
     cross join lateral (
             select * from payments
              where account_id = $1 and livemode = $2 and status = wanted.status and route = kind.route
                and created_at >= $4 and created_at <= $5
              order by created_at desc, id desc
              limit $9
           ) p
      join checkout_sessions s on s.id = p.session_id
     where s.receive_address = $6 and s.receive_network = $7 and s.receive_asset = $8`;
