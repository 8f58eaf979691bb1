import type { ReceiveNetwork } from '@quittance/contract';
import type { Database } from '../../platform/db/db.ts';

/** Its signals carry a network whose watcher looks at once, in whichever process, because a customer may be waiting. */
const CHANNEL = 'demand';

/**
 * Has a network read at once, and without a pause for a while. Sent after the commit; the watcher finds in the database whether
 * the network may rest. A signal that is lost delays a payment by seconds.
 */
export function signalDemand(db: Pick<Database, 'notify'>, network: ReceiveNetwork): void {
  db.notify(CHANNEL, network);
}

/** Calls back at each signal for a network. */
export function onDemand(db: Pick<Database, 'listen'>, network: ReceiveNetwork, wake: () => void) {
  return db.listen(CHANNEL, (named) => {
    if (named === network) wake();
  });
}
