import type { HeldRefundsJson } from '@quittance/contract/dashboard';
import { later, MINUTE_MS } from '../../platform/time.ts';
import type { Outgoing } from './outgoing.ts';
import { requirePlanned } from './prepare-sending.ts';

/** As long as a person may need to look at a prompt of their wallet. */
const HOLD_MS = 10 * MINUTE_MS;

/** The browser that takes them for its wallet. */
interface Holder {
  holder: string;
  address: string;
  /** The merchant has seen that another one has them. */
  isTakenOver: boolean;
}

/**
 * Before a browser asks its wallet for some, it takes them, so that no other one asks another wallet meanwhile. Returns those
 * that others have: then none is taken, unless the merchant has seen that and takes them over.
 */
export async function hold<One extends Outgoing>(
  all: readonly One[],
  { holder, address, isTakenOver }: Holder,
  { now, write }: { now: Date; write(one: One): Promise<void> },
): Promise<HeldRefundsJson['others']> {
  for (const one of all) requirePlanned(one);
  const others = all.flatMap(({ id, wallet }) =>
    wallet && wallet.holder !== holder && wallet.until > now
      ? [{ id, address: wallet.address, until: wallet.until.toISOString() }]
      : [],
  );
  if (others.length > 0 && !isTakenOver) return others;
  const wallet = { holder, address, until: later(now, HOLD_MS) };
  for (const one of all) await write({ ...one, wallet });
  return [];
}
