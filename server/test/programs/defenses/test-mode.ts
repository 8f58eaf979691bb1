import type { Defense } from './list.ts';

const test = 'server/test/networks/test-mode-and-main-networks.test.ts';
const resources = 'server/src/resources';

const uri = {
  test: 'server/src/outside/chains/payment-uri.test.ts',
  file: 'server/src/outside/chains/payment-uri.ts',
};
const drawn = { test: 'web/checkout/stages/pay.test.tsx', named: 'to pay, a test offers no wallet' };

/** Nothing on a page of test mode, or for its programs, can move real money. */
export const TEST_MODE_DEFENSES: readonly Defense[] = [
  {
    rule: 'The URI of a test names no main network',
    ...uri,
    defends: 'request.livemode ? liveUri(request) : testUri(request)',
    without: 'liveUri(request)',
    named: 'can carry out the URI of USDC_BASE',
  },
  {
    rule: "The URI of a test is for the issuer's test coin only",
    ...uri,
    defends: "asset.asset !== 'USDC' || to.startsWith('test_')",
    without: "to.startsWith('test_')",
    named: 'can carry out the URI of SOL_SOLANA',
  },
  {
    rule: "The URI of a test in bitcoin is for an address of bitcoin's test network",
    ...uri,
    defends: "return to.startsWith('tb1') ? liveUri(request) : null;",
    without: 'return liveUri(request);',
    named: 'can carry out the URI of BTC_BITCOIN',
  },
  {
    rule: 'The public session of a test has the URI of a test',
    file: `${resources}/checkout-sessions/public-session.ts`,
    defends: `    uri: paymentUri({
      livemode: session.livemode,
      asset,
      to: payment.receiveAddress,`,
    without: `    uri: paymentUri({
      livemode: true,
      asset,
      to: payment.receiveAddress,`,
    test,
    named: 'a test in USDC on base tells wallets and programs nothing',
  },
  {
    rule: 'A test has no transaction to sign',
    file: `${resources}/checkout-sessions/build-transaction.ts`,
    defends: 'const chain = view.session.livemode ? ctx.chains',
    without: 'const chain = view.session.id ? ctx.chains',
    test,
    named: 'a test in USDT on tron tells wallets and programs nothing',
  },
  {
    rule: 'A test has no transaction request of Solana Pay',
    file: `${resources}/solana-pay/routes.ts`,
    defends: " || !session.livemode)\n    fail('invalid_payment_state'",
    without: ")\n    fail('invalid_payment_state'",
    test,
    named: 'a test in USDC on solana tells wallets and programs nothing',
  },
  {
    rule: 'The page of a test does not reach wallets by the relay',
    file: `${resources}/checkout-pages/read-page.ts`,
    defends: 'view.session.livemode ? ctx.config.walletConnect : null',
    without: 'view.session.id ? ctx.config.walletConnect : null',
    test,
    named: 'a test in USDC on base tells wallets and programs nothing',
  },
  {
    rule: 'A test asks no paymaster',
    file: `${resources}/paymasters/relay.ts`,
    defends: 'session.livemode && sponsoredGwei(',
    without: 'sponsoredGwei(',
    test,
    named: 'a test in USDC on base tells wallets and programs nothing',
  },
  {
    rule: 'The wallet of a test is proved by no transfer',
    file: `${resources}/payout-wallets/prove-ownership.ts`,
    defends: 'transfer: wallet.livemode ? await transferChallenge(db, wallet, now) : null',
    without: 'transfer: await transferChallenge(db, wallet, now)',
    test,
    named: 'a test in USDT on tron gives the merchant nothing to send',
  },
  {
    rule: 'The plan of a refund in test mode has the URI of a test',
    file: `${resources}/dashboard/refund.ts`,
    defends: 'livemode: account.livemode,',
    without: 'livemode: true,',
    test,
    named: 'a test in USDC on base gives the merchant nothing to send',
  },
  {
    rule: 'A refund in test mode has no transaction to sign',
    file: `${resources}/dashboard/refund.ts`,
    defends: 'const chain = account.livemode ? ctx.chains',
    without: 'const chain = account.id ? ctx.chains',
    test,
    named: 'a test in USDC on solana gives the merchant nothing to send',
  },
  {
    rule: 'Refunds and payouts of test mode are not given to a wallet',
    file: `${resources}/outgoing-transfers/prepare-sending.ts`,
    defends: "  if (!livemode) refuse('In test mode there is nothing to send.');",
    without: "  if (livemode === undefined) refuse('In test mode there is nothing to send.');",
    test,
    named: 'a test in USDC on base gives the merchant nothing to send',
  },
  {
    rule: 'No wallet signs where the refund of a test goes',
    file: `${resources}/refund-pages/pages.ts`,
    defends: 'family && refund.livemode ? await findPayers',
    without: 'family ? await findPayers',
    test,
    named: 'a test in USDC on base shows nothing of a main network once it is paid',
  },
  {
    rule: 'The wallets of a browser are offered by live checkouts only',
    file: 'web/checkout/wallet-choice.tsx',
    defends: 'session.livemode ? wallets.filter((wallet) => wallet.family === familyOf(network)) : []',
    without: 'wallets.filter((wallet) => session.id && wallet.family === familyOf(network))',
    ...drawn,
  },
  {
    rule: 'Wallets on other devices are offered by live checkouts only',
    file: 'web/checkout/stages/pay.tsx',
    defends: '{livemode && !isByExchange && !isStale && (',
    without: '{!isByExchange && !isStale && (',
    ...drawn,
  },
  {
    rule: 'The wallets of a phone are offered by live checkouts only',
    file: 'web/checkout/phone-wallets.tsx',
    defends: 'if (!payment || !page.session.livemode) return null;',
    without: 'if (!payment) return null;',
    ...drawn,
  },
  {
    rule: 'The code of a test is its own page',
    file: 'web/checkout/stages/pay.tsx',
    defends: '{page.session.livemode ? (\n          <PaymentCode',
    without: '{page.session.id ? (\n          <PaymentCode',
    ...drawn,
  },
  {
    rule: 'The page of a test takes no other code for its own',
    file: 'web/checkout/code-texts.ts',
    defends: '  if (!livemode) return [page.links.page];',
    without: '  if (livemode === undefined) return [page.links.page];',
    test: 'web/checkout/payment-code.test.tsx',
    named: 'the page of a test takes no code for its own but its address',
  },
  {
    rule: 'A test asks no wallet, whatever the page tells it',
    file: 'web/checkout/client/wallets.ts',
    defends: 'return page.shown().session.livemode ? found.find((wallet) => wallet.id === id) : undefined;',
    without: 'return page.shown().session.id ? found.find((wallet) => wallet.id === id) : undefined;',
    test: 'web/checkout/client/use-wallet.test.ts',
    named: 'a wallet that a test tells to pay is not asked',
  },
];
