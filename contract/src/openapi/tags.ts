import { SCHEDULE_WORDS } from '../webhook-schedule.ts';

/** The sections of the documentation, in its order. */
export const TAGS = [
  {
    name: 'Checkout sessions',
    description: 'One checkout for one order. Create it on your server, then send the customer to its page.',
  },
  { name: 'Payment links', description: 'A reusable URL that creates a checkout session for each customer.' },
  { name: 'Payments', description: 'The money side of a checkout session, from its first event to a refund.' },
  {
    name: 'Refunds',
    description:
      'Money that you send back from your own wallet, in parts or whole. Each one is verified on the chain; ' +
      'together they never exceed what arrived.',
  },
  {
    name: 'Receipts',
    description: 'Signed statements of what a payment received. Anyone can verify them offline.',
  },
  { name: 'Routes', description: 'Cost of a payment for the customer, and the amount that you would receive.' },
  {
    name: 'Payout wallets',
    description:
      'The addresses you get paid to. Only a saved wallet can receive funds. An account can require a ' +
      'login to add wallets, so that a leaked key cannot redirect funds.',
  },
  {
    name: 'Webhooks',
    description: `Signed events sent to your server, with ${SCHEDULE_WORDS.attempts} attempts over ${SCHEDULE_WORDS.hours} hours.`,
  },
  { name: 'Events', description: 'The events that webhooks deliver, as a list or a stream.' },
  { name: 'Transfers', description: 'Transfers to your payout wallets, including those not attributed to a payment.' },
  { name: 'Login', description: 'Login tokens, issued for an emailed code or a wallet signature.' },
  { name: 'API keys', description: 'Secret keys for your servers. Managed with a login token only.' },
  {
    name: 'Invitations',
    description:
      'Links that open an account on a server that is not open to everyone. Managed by the operator with a ' +
      'login token.',
  },
  { name: 'Account', description: "Your account's name, branding and settings." },
  {
    name: 'Public checkout',
    description: 'The endpoints behind the hosted checkout page. Your own page can use them too, without a credential.',
  },
  {
    name: 'Test helpers',
    description:
      'Simulate payments and the passing of time in test mode. Returns 404 in live mode. The paths also ' +
      'work with a hyphen: `/v1/test-helpers/…`.',
  },
  { name: 'Documentation', description: 'The OpenAPI document.' },
];
