import type { FailureReason } from '@quittance/contract';
import type { Db } from '../../../platform/db/db.ts';
import { invariant } from '../../../platform/errors.ts';
import type { RouteProgress } from '../router.ts';

export interface SandboxOrder {
  reference: string;
  state: RouteProgress['state'];
  reason: FailureReason | null;
  depositedUnits: bigint | null;
  depositedAt: Date | null;
  outputUnits: bigint | null;
  payoutTxHashes: string[];
}

export async function findSandboxOrder(db: Db, reference: string): Promise<SandboxOrder> {
  const [row] = await db.query<SandboxOrder>(
    'find_sandbox_order',
    `
    select reference, state, reason, deposited_units, deposited_at, output_units, payout_tx_hashes from sandbox_orders
      where reference = $1`,
    [reference],
  );
  invariant(row, 'the sandbox knows its orders');
  return row;
}

/** Lets an order be as far as a test wants it. */
export async function setSandboxOrder(
  db: Db,
  reference: string,
  changes: Partial<Omit<SandboxOrder, 'reference'>>,
): Promise<void> {
  const order = { ...(await findSandboxOrder(db, reference)), ...changes };
  await db.query(
    'set_sandbox_order',
    `
    update sandbox_orders set state = $2, reason = $3, deposited_units = $4, deposited_at = $5, output_units = $6,
      payout_tx_hashes = $7 where reference = $1`,
    [
      reference,
      order.state,
      order.reason,
      order.depositedUnits,
      order.depositedAt,
      order.outputUnits,
      order.payoutTxHashes,
    ],
  );
}

export async function insertSandboxOrder(
  db: Db,
  reference: string,
  depositAddress: string,
  request: object,
): Promise<void> {
  await db.query(
    'insert_sandbox_order',
    `
    insert into sandbox_orders (reference, deposit_address, request, state) values ($1, $2, $3, 'waiting')`,
    [reference, depositAddress, JSON.stringify(request)],
  );
}
