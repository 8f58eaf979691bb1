import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { findQueued, postponeTransfer, setTransferAside } from '../records/transfer-queue-store.ts';
import { attributeTransfer } from './attribute-transfer.ts';

const MAX_ADDRESSES = 100;
/** Transfers per address and turn, so that a flood to one wallet never delays the others. */
const MAX_PER_ADDRESS = 5;
/**
 * Once an address has used this much time, its other transfers wait for the next turn. Attribution makes no RPC calls.
 */
const MAX_ADDRESS_MS = 2_000;
/** After these attempts a transfer is set aside. They are spaced, because a fault may last for some seconds. */
export const MAX_ATTEMPTS = 3;
const SECOND_ATTEMPT_AFTER_MS = 1 * SECOND_MS;
const THIRD_ATTEMPT_AFTER_MS = 30 * SECOND_MS;

/** The address at which the last turn over a network ended. */
export interface QueuePosition {
  address: string;
}

/**
 * Attributes queued transfers of a network, one database transaction each, in round robin over the addresses. A
 * transfer whose attribution fails three times is set aside; all others continue. Returns the number of transfers
 * processed.
 */
export async function attributeQueued(ctx: Context, network: ReceiveNetwork, position: QueuePosition): Promise<number> {
  const page = { addresses: MAX_ADDRESSES, perAddress: MAX_PER_ADDRESS, now: await ctx.db.now() };
  let found = await findQueued(ctx.db, network, { ...page, after: position.address });
  if (found.length === 0 && position.address !== '') {
    found = await findQueued(ctx.db, network, { ...page, after: '' });
  }
  const spentMs = new Map<string, number>();
  for (const { id, to } of found) {
    // Moved before the work, so that the next turn starts after an address that ends this turn.
    position.address = to;
    const spent = spentMs.get(to) ?? 0;
    if (spent >= MAX_ADDRESS_MS) continue;
    const startedMs = performance.now();
    await attributeOrSetAside(ctx, network, id);
    spentMs.set(to, spent + performance.now() - startedMs);
  }
  return found.length;
}

async function attributeOrSetAside(ctx: Context, network: ReceiveNetwork, id: string): Promise<void> {
  const now = await ctx.db.now();
  try {
    await ctx.db.transaction((db) => attributeTransfer(ctx, db, id, now));
  } catch (error) {
    // A database outage or a serialization conflict is not the transfer's fault.
    if (isUnavailable(error)) throw error;
    const attempts = await postponeTransfer(ctx.db, id, {
      first: later(now, SECOND_ATTEMPT_AFTER_MS),
      later: later(now, THIRD_ATTEMPT_AFTER_MS),
    });
    ctx.log.warn({ err: error, transferId: id, network, attempts }, 'transfer attribution failed: retrying');
    if (attempts < MAX_ATTEMPTS) return;
    // Before it is stored: if the process ends between the two, it is raised again and not lost.
    ctx.log.error(
      { err: error, transferId: id, network, alarm: 'transfer_set_aside' },
      'transfer set aside: attribution failed three times',
    );
    await setTransferAside(ctx.db, id, now);
  }
}
