import { NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { DAY_MS, later } from '../../platform/time.ts';

/** So long after its end a session's wallet is still watched: late and wrong money must not be missed. */
export const RECENT_MS = 30 * DAY_MS;

const EVM_NETWORKS = ['ethereum', 'base', 'polygon', 'arbitrum'];

/**
 * The payout wallets with open or recent live sessions on a network; looked up wallet by wallet, so that the cost does
 * not grow with the sessions. Wallets of other networks of the family are watched as well where the network is read
 * anyway: their addresses are the same, and money on the wrong network should be found.
 */
export async function findWatched(db: Db, network: ReceiveNetwork, now: Date): Promise<{ addresses: string[]; isActive: boolean }> {
  const rows = await db.query<{ address: string; here: boolean }>('find_watched', `
    select w.address, bool_or(w.network = $1) as here
      from payout_wallets w
     where w.livemode and w.network = any($2)
       and (exists (select 1 from checkout_sessions s where s.payout_wallet_id = w.id and s.expires_at > $3)
            or exists (select 1 from checkout_sessions s join payments p on p.session_id = s.id
                        where s.payout_wallet_id = w.id and p.livemode and p.status in ('created', 'pending') and p.expires_at <= $3))
     group by w.address`, [network, familyOf(network), later(now, -RECENT_MS)]);
  const isActive = rows.some((row) => row.here);
  return { addresses: isActive ? rows.map((row) => row.address) : [], isActive };
}

/** When the earliest of the open or recent live sessions on a network was created: reading starts there. */
export async function findEarliestSession(db: Db, network: ReceiveNetwork, now: Date): Promise<Date | undefined> {
  const [row] = await db.query<{ earliest: Date | null }>('find_earliest_session', `
    select min(s.created_at) as earliest
      from payout_wallets w join checkout_sessions s on s.payout_wallet_id = w.id
     where w.livemode and w.network = $1
       and (s.expires_at > $2 or exists (select 1 from payments p where p.session_id = s.id and p.livemode and p.status in ('created', 'pending')))`,
  [network, later(now, -RECENT_MS)]);
  return row?.earliest ?? undefined;
}

function familyOf(network: ReceiveNetwork): string[] {
  return NETWORKS[network].family === 'evm' ? EVM_NETWORKS : [network];
}
