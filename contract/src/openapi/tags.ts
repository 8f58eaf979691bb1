/** The sections of the documentation, in its order. */
export const TAGS = [
  {
    name: 'Checkout sessions',
    description: 'One checkout for one order: create it on your server, send the customer to its page.',
  },
  { name: 'Payment links', description: 'A checkout to share with many.' },
  { name: 'Payments', description: 'What became of a checkout, from the first event to the refund.' },
  {
    name: 'Receipts',
    description: 'Signed statements of what a payment received. Anyone can verify them offline.',
  },
  { name: 'Routes', description: 'What a payment would cost and bring.' },
  {
    name: 'Payout wallets',
    description:
      'Where your money goes. Only a saved wallet can receive it. An account may leave the saving to logins, so that a leaked key cannot redirect it.',
  },
  { name: 'Webhooks', description: 'Signed events to your server, tried six times over nine hours.' },
  { name: 'Events', description: 'The same events, to read or to follow.' },
  { name: 'Transfers', description: 'Money that came to your wallets, and what no payment took.' },
  { name: 'Login', description: "Login tokens, by a code in a mail or a wallet's signature." },
  { name: 'API keys', description: 'Secret keys for your servers. Managed with a login token only.' },
  {
    name: 'Invitations',
    description:
      'Links that open an account on a server that is not open to everyone. Managed by the operator with a login token.',
  },
  { name: 'Account', description: 'Your name, look and rules.' },
  {
    name: 'Public checkout',
    description: 'What the hosted page uses and a page of your own may use, without a credential.',
  },
  { name: 'Test helpers', description: 'Pay and let time pass in test mode. Not found in live mode.' },
  { name: 'Documentation', description: 'This document.' },
];
