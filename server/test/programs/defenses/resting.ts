import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const resting = 'server/test/api/settlement/resting.test.ts';

/** What keeps money from depending on blocks that a resting network has yet to read. */
export const RESTING_DEFENSES: readonly Defense[] = [
  {
    rule: 'A network rests only while no payment can be paid on it',
    file: `${settlement}/reading/demand-store.ts`,
    defends: "where ${IS_PAYABLE} and p.route = 'direct' and p.pay_network = $1)",
    without: "where ${IS_PAYABLE} and p.route = 'direct' and p.pay_network = $1 and false)",
    test: resting,
    named: 'is read from the next turn on once a customer chooses',
  },
  {
    rule: 'A network is read for a minute after the last reason',
    file: `${settlement}/watching/rest.ts`,
    defends: 'const LINGER_MS = MINUTE_MS;',
    without: 'const LINGER_MS = 1;',
    test: resting,
    named: 'is read for a minute after the last reason',
  },
  {
    rule: 'A network on which a payout is awaited does not rest',
    file: `${settlement}/reading/demand-store.ts`,
    defends: "where ${IS_PAYABLE} and p.route = 'routed' and s.receive_network = $1)",
    without: "where ${IS_PAYABLE} and p.route = 'routed' and s.receive_network = $1 and false)",
    test: resting,
    named: 'waits for its payout there',
  },
  {
    rule: 'A network on which a program can pay does not rest',
    file: `${settlement}/reading/demand-store.ts`,
    defends: '(p.started_at is not null or p.offered_at is not null)',
    without: '(p.started_at is not null)',
    test: resting,
    named: 'once a program has been given an address',
  },
  {
    rule: 'A network is read in each turn while money that was sent waits there',
    file: `${settlement}/watching/rest.ts`,
    defends: "demand === 'sent' || isWaitedFor(state) ? 0 : openMs",
    without: 'isWaitedFor(state) ? 0 : openMs',
    test: 'server/test/api/settlement/waited-for.test.ts',
    named: 'once its money is seen',
  },
  {
    rule: 'An amount is given again only once both passes have read past its quarantine',
    file: `${settlement}/records/reserved-amount-store.ts`,
    defends: "and (c.pass = 'first' or not c.waits_for_provider)))`;",
    without: "and (c.pass = 'first' or not c.waits_for_provider) and false))`;",
    test: resting,
    named: 'is given again only once both passes',
  },
];
