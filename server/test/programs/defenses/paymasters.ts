import type { Defense } from './list.ts';

const paymasters = 'server/test/journeys/paymasters.test.ts';

/** What a merchant's paymaster is asked for. */
export const PAYMASTER_DEFENSES: readonly Defense[] = [
  {
    rule: 'No other page gets a ticket for the paymaster of a merchant',
    file: 'server/src/resources/paymasters/routes.ts',
    defends: "if (request.headers.origin !== origin) fail('not_found');",
    without: '',
    test: paymasters,
    named: 'another page gets no ticket',
  },
  {
    rule: "A paymaster is asked only about the checkout's own transfer",
    file: 'server/src/resources/paymasters/relay.ts',
    defends: 'await requireOwnTransfer(ctx, view, params);',
    without: '',
    test: paymasters,
    named: 'nothing is passed on for another recipient',
  },
  {
    rule: 'A paymaster is asked only about an operation that does nothing else',
    file: 'server/src/resources/paymasters/user-operation.ts',
    defends: 'if (!formsOf(transfer).includes(callData.toLowerCase()))',
    without: 'if (!formsOf(transfer).some((form) => callData.toLowerCase().includes(form.slice(2))))',
    test: paymasters,
    named: 'nothing is passed on for bytes behind the operation',
  },
  {
    rule: 'A paymaster creates accounts by known factories only',
    file: 'server/src/resources/paymasters/user-operation.ts',
    defends: 'if (!isKnownAccount(operation)) return',
    without: 'if (isKnownAccount.length === 0) return',
    test: paymasters,
    named: 'nothing is passed on for an account that is created by other code',
  },
  {
    rule: 'A paymaster pays no more than a transfer usually costs',
    file: 'server/src/resources/paymasters/user-operation.ts',
    defends: 'limits.every(({ gas, most }) => gas <= most) && cost <=',
    without: 'cost < 0n || total <=',
    test: paymasters,
    named: 'nothing is passed on for a price out of this world',
  },
  {
    rule: 'A paymaster is only called with a valid ticket of this service',
    file: 'server/src/resources/paymasters/relay.ts',
    defends: 'await requireTicket(ctx, sessionId, ticket);',
    without: '',
    test: paymasters,
    named: 'another page gets no ticket',
  },
  {
    rule: 'The clients of one wide range ask for paymasters little more often than one client',
    file: 'server/src/resources/paymasters/relay.ts',
    defends: '.take(client);',
    without: '.take(Client.only(client.narrow));',
    test: 'server/src/resources/paymasters/relay.test.ts',
    named: 'all clients of one IPv6 /48 together',
  },
  {
    rule: 'Few clients do not use up the paymaster of an account for all its customers',
    file: 'server/src/resources/paymasters/relay.ts',
    defends: 'await countOfAccount(accountId, client);',
    without: 'await countOfAccount(accountId, null);',
    test: 'server/src/resources/paymasters/relay.test.ts',
    named: 'one client leaves the paymaster of an account to the others',
  },
];
