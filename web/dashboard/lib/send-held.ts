import { post } from './api.ts';
import { browserName } from './made-up.ts';
import { isUnsent, sendTogether, type Sendable, type Sent } from './sent-by-wallets.ts';
import type { HeldRefundsJson, PayoutSendingJson } from './types.ts';

/** Refunds or payouts that wallets of other browsers have. */
export type Others = HeldRefundsJson['others'];

/** Keeps refunds or payouts from the wallets of other browsers while one of this browser is asked for them. */
interface Hold<Taken extends HeldRefundsJson> {
  /** `isTakenOver`: also from another browser that has them. */
  take(ids: readonly string[], isTakenOver: boolean): Promise<Taken>;
  /** Without it they are free after a while. */
  release?(ids: readonly string[]): Promise<unknown>;
}

/** `address`: the account of the wallet that is asked. */
export function holdOfRefunds(address: string): Hold<HeldRefundsJson> {
  const holder = browserName();
  return {
    take: (refunds, isTakenOver) =>
      post('/dashboard/api/refunds/hold', { refunds, address, holder, ...(isTakenOver && { take_over: true }) }),
    release: (refunds) => post('/dashboard/api/refunds/release', { refunds, holder }),
  };
}

/** What it answers is all that the wallet needs. */
export function holdOfPayouts(from: string): Hold<PayoutSendingJson> {
  return {
    take: (payouts, isTakenOver) =>
      post('/dashboard/api/payouts/send', { payouts, from, holder: browserName(), take_over: isTakenOver }),
  };
}

/**
 * Lets a wallet send what no other browser has given to its own. If others have some, nothing is asked, and they are
 * returned; `takenOver` are those that the merchant has seen, and sends from here instead. Those that the wallet certainly
 * did not send are free for every browser again.
 */
export async function sendHeld<Taken extends HeldRefundsJson>(
  all: readonly Sendable[],
  hold: Hold<Taken>,
  takenOver: ReadonlySet<string>,
  send: (sent: Sent, taken: Taken) => Promise<void>,
): Promise<Others> {
  const ids = all.map(({ id }) => id);
  try {
    await sendTogether(all, async (sent) => send(sent, await take(ids, hold, takenOver)));
    return [];
  } catch (error) {
    if (error instanceof HeldError) return error.others;
    throw error;
  } finally {
    const unsent = ids.filter(isUnsent);
    if (unsent.length > 0) await hold.release?.(unsent).catch(() => undefined);
  }
}

class HeldError extends Error {
  readonly others: Others;

  constructor(others: Others) {
    super('Wallets of other browsers have some of these.');
    this.others = others;
  }
}

/** What was taken over is only what the merchant has seen: others may have been given to wallets since. */
async function take<Taken extends HeldRefundsJson>(
  ids: readonly string[],
  hold: Hold<Taken>,
  takenOver: ReadonlySet<string>,
): Promise<Taken> {
  const seen = ids.filter((id) => takenOver.has(id));
  if (seen.length > 0) await hold.take(seen, true);
  const taken = await hold.take(ids, false);
  if (taken.others.length > 0) throw new HeldError(taken.others);
  return taken;
}
