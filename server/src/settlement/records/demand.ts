import type { ReceiveNetwork } from '@quittance/contract';
import type { Database } from '../../platform/db/db.ts';

/** Its signals carry a network whose watcher looks at once, in whichever process, because money may be on its way. */
const CHANNEL = 'demand';

/** Wakes the watcher of a network that rests. Sent after the commit; the watcher finds the reason in the database. */
export function signalDemand(db: Pick<Database, 'notify'>, network: ReceiveNetwork): void {
  db.notify(CHANNEL, network);
}

/** Calls back at each signal for a network. */
export function onDemand(db: Pick<Database, 'listen'>, network: ReceiveNetwork, wake: () => void) {
  return db.listen(CHANNEL, (named) => {
    if (named === network) wake();
  });
}
