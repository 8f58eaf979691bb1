import { post } from './api.ts';
import { browserName } from './browser-name.ts';
import { isUnsent, sendTogether, type Sendable } from './sent-refunds.ts';
import type { HeldRefundsJson } from './types.ts';

/** Refunds that wallets of other browsers have. */
export type OthersRefunds = HeldRefundsJson['others'];

interface Asked {
  /** The account of the wallet that is asked. */
  address: string;
  /** Refunds of other browsers that the merchant has seen, and sends from here instead. */
  takenOver: ReadonlySet<string>;
}

/**
 * Lets a wallet send refunds that no other browser has given to its own. If others have some, nothing is asked, and they
 * are returned. Those that the wallet certainly did not send are free for every browser again.
 */
export async function sendHeld(
  refunds: readonly Sendable[],
  asked: Asked,
  send: (sent: (place: number, hash: string) => void) => Promise<void>,
): Promise<OthersRefunds> {
  const ids = refunds.map(({ id }) => id);
  try {
    await sendTogether(refunds, async (sent) => {
      await hold(ids, asked);
      await send(sent);
    });
    return [];
  } catch (error) {
    if (error instanceof HeldError) return error.others;
    throw error;
  } finally {
    const unsent = ids.filter(isUnsent);
    // Without an answer they are free after a while.
    if (unsent.length > 0) await ask('release', { refunds: unsent }).catch(() => undefined);
  }
}

class HeldError extends Error {
  readonly others: OthersRefunds;

  constructor(others: OthersRefunds) {
    super('Wallets of other browsers have some of these refunds.');
    this.others = others;
  }
}

/** What was taken over is only what the merchant has seen: others may have been given to wallets since. */
async function hold(ids: readonly string[], { address, takenOver }: Asked): Promise<void> {
  const seen = ids.filter((id) => takenOver.has(id));
  if (seen.length > 0) await ask('hold', { refunds: seen, address, take_over: true });
  const { others } = await ask<HeldRefundsJson>('hold', { refunds: ids, address });
  if (others.length > 0) throw new HeldError(others);
}

function ask<T>(verb: 'hold' | 'release', body: object): Promise<T> {
  return post<T>(`/dashboard/api/refunds/${verb}`, { ...body, holder: browserName() });
}
