import type { Defense } from './list.ts';

const machine = 'server/src/resources/machine-payments';
const madeUp = 'server/test/api/machine-payments/made-up.test.ts';

/** What strangers present as a program's credential, to have it asked about. */
export const MADE_UP_CREDENTIAL_DEFENSES: readonly Defense[] = [
  {
    rule: 'A signed transaction whose fee no block takes is refused',
    file: 'server/src/outside/chains/evm/signed-payments.ts',
    defends: "if (maxFeePerGas < baseFee) return 'maxFeePerGas';",
    without: '',
    test: 'server/src/outside/chains/evm/signed-payments.test.ts',
    named: 'is said with what is wrong',
  },
  {
    rule: 'A signed transaction whose gas no block takes is refused',
    file: 'server/src/outside/chains/evm/signed-payments.ts',
    defends: 'return 5n * gas >= 4n * needed && gas <= MAX_GAS;',
    without: 'return gas > 0n || needed > MAX_GAS;',
    test: 'server/src/outside/chains/evm/signed-payments.test.ts',
    named: 'is said with what is wrong',
  },
  {
    rule: 'Of the transactions of an account with the same nonce one is waited for',
    file: `${machine}/pay.ts`,
    defends: 'accountNonce: payment.livemode ? (verified.accountNonce ?? null) : null,',
    without: 'accountNonce: null,',
    test: madeUp,
    named: 'with the same nonce one is open at a time',
  },
  {
    rule: 'No provider is asked about an authorization that its payer has not signed',
    file: `${machine}/pay.ts`,
    defends: 'if (domain && !(await isSignedByPayer(',
    without: 'if (Boolean(0) && domain && !(await isSignedByPayer(',
    test: madeUp,
    named: 'that its payer has not signed',
  },
  {
    rule: 'One client does not occupy the line in which the credentials of a network are verified',
    file: 'server/src/lines.ts',
    defends: '      perClient: 4,\n',
    without: '',
    test: 'server/src/lines.test.ts',
    named: 'a client has a share of the places',
  },
  {
    rule: 'A credential takes its place in line from the share of its client',
    file: `${machine}/pay.ts`,
    defends: '.inTurn(session.receiveNetwork, verify, limited)',
    without: '.inTurn(session.receiveNetwork, verify)',
    test: madeUp,
    named: 'no client occupies the line',
  },
  {
    rule: 'What an offer asks a network is asked from the share of its client',
    file: `${machine}/build-offer.ts`,
    defends: 'accountKindOf?.(account, { client })',
    without: 'accountKindOf?.(account)',
    test: madeUp,
    named: 'from the share of the client that asks',
  },
  {
    rule: 'Whether a payout wallet has code pauses no provider',
    file: 'server/src/outside/chains/evm/chain.ts',
    defends: 'provider.call(hasCodeAt(address)), { ignoreFailures: true }',
    without: 'provider.call(hasCodeAt(address))',
    test: 'server/src/outside/chains/evm/strangers.test.ts',
    named: 'that it cannot be asked pauses no provider',
  },
];
