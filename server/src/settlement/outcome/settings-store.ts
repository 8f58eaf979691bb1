import type { Db } from '../../platform/db/db.ts';

export async function findSettings(
  db: Db,
  paymentIds: readonly string[],
): Promise<Map<string, { toleranceBps: number | null; acceptedAssets: string[] }>> {
  const rows = await db.query<{ id: string; toleranceBps: number | null; acceptedAssets: string[] }>(
    'find_payment_settings',
    `
    select p.id, a.tolerance_bps, s.accepted_assets
      from payments p join checkout_sessions s on s.id = p.session_id join accounts a on a.id = p.account_id
     where p.id = any($1)`,
    [paymentIds],
  );
  return new Map(rows.map(({ id, ...settings }) => [id, settings]));
}
