import { Type, type Static } from '@sinclair/typebox';
import { CURRENCIES } from '../statuses.ts';
import { LOGIN_NETWORKS } from './auth.ts';
import { timestamp } from './common.ts';
import { component, id, nullable, objectName, oneOf, described } from './schema.ts';

const color = (description: string, example: string) =>
  nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }), { description, examples: [example] });

export const NEEDS_DECISION = 'A payment is `refund_required`, or a customer has named the address of their refund.';
export const THEMES = ['light', 'dark'] as const;
export const CORNERS = ['round', 'soft', 'square'] as const;

export const BrandShape = component(
  'Brand',
  Type.Object(
    {
      accent_color: color('Color of buttons and links on the hosted pages. Null uses the default.', '#0B6E4F'),
      background_color: color('Background color of the hosted pages. Null uses the default.', '#FFFFFF'),
      theme: nullable(oneOf(THEMES), described("Theme of the hosted pages. Null follows the visitor's device.", null)),
      corners: nullable(oneOf(CORNERS), described('Corner style. Null means `round`.', null)),
    },
    { description: 'Appearance of the hosted pages.' },
  ),
);

export const AccountShape = component(
  'Account',
  Type.Object(
    {
      id: id('acc', 'The account.'),
      object: objectName('account'),
      livemode: Type.Boolean(described('The mode of the credential used.', true)),
      login_method: oneOf(['email', 'wallet'], {
        description:
          'Email accounts can have many payout wallets. Wallet accounts have only the wallet they log in with.',
        examples: ['email'],
      }),
      email: nullable(Type.String(), {
        description: 'The email address used to log in; null for wallet accounts.',
        examples: ['shop@example.com'],
      }),
      login_wallet: nullable(
        Type.Object({
          network: oneOf(LOGIN_NETWORKS, { examples: ['ethereum'] }),
          address: Type.String({ examples: ['0x52908400098527886E0F7030069857D2E4169EE7'] }),
        }),
        described('The wallet used to log in; null for email accounts.', null),
      ),
      name: nullable(Type.String(), described('The name shown to customers.', 'Fern & Fog')),
      logo_url: nullable(Type.String(), described('The logo shown to customers.', 'https://shop.example.com/logo.svg')),
      brand: BrandShape,
      support_email: nullable(Type.String(), {
        description: 'Support email address shown to customers.',
        examples: ['help@shop.example.com'],
      }),
      support_url: nullable(Type.String(), {
        description: 'Support page shown to customers.',
        examples: ['https://shop.example.com/help'],
      }),
      receipt_details: nullable(Type.String(), {
        description: 'Lines about you that are printed on receipts, such as your company, address and tax number.',
        examples: ['Fern & Fog GmbH\nHauptstr. 1, 10827 Berlin\nVAT DE123456789'],
      }),
      frame_parents: Type.Array(Type.String(), {
        description: 'Origins that may embed the hosted pages in a frame.',
        examples: [['https://shop.example.com']],
      }),
      paymaster_host: Type.Optional(
        Type.String(described('The host of your paymaster. Absent if you set none.', 'paymaster.example.com')),
      ),
      tolerance_bps: nullable(Type.Integer({ minimum: 0, maximum: 500 }), {
        description: 'Underpayment tolerance in basis points. Null means 0.5%, capped at 1.00 in the display currency.',
        examples: [null],
      }),
      wallets_by_login_only: Type.Boolean(described('If `true`, secret keys cannot add payout wallets.', false)),
      confirm_key_wallets: Type.Boolean({
        description:
          'If `true`, a payout wallet that a live secret key adds waits for you to confirm it in the dashboard, and ' +
          'no payment can settle to it before.',
        examples: [false],
      }),
      session_defaults: Type.Object(
        {
          currency: nullable(oneOf(CURRENCIES), described('Null means `USD`.', null)),
          expires_in: nullable(Type.Integer(), described('Seconds until a session expires. Null means 3600.', null)),
          accepted_assets: nullable(Type.Array(Type.String()), described('Null means all supported assets.', null)),
        },
        {
          description: 'Defaults for checkout sessions, used when a request or payment link does not specify a value.',
        },
      ),
      email_notifications: Type.Object(
        {
          paid: Type.Boolean(described('A payment is paid.', true)),
          needs_decision: Type.Boolean({ description: NEEDS_DECISION, examples: [true] }),
          unattributed: Type.Boolean(described('A final transfer to a payout wallet belongs to no payment.', false)),
        },
        {
          description:
            'Emails that you receive, at the address that you log in with. A new account that logs in by email gets ' +
            'those about decisions.',
        },
      ),
      email_receipts: Type.Boolean({
        description: 'Whether customers get a receipt by mail, at `customer.email`, once their payment is paid.',
        examples: [false],
      }),
      test_clock: Type.Object(
        {
          now: timestamp("The current time in the account's test mode."),
          offset_seconds: Type.Integer({
            minimum: 0,
            description: 'Seconds that the test clock is ahead of real time.',
            examples: [0],
          }),
        },
        { description: "The clock of the account's test mode." },
      ),
      created_at: timestamp('When the account was created.'),
    },
    { description: "The merchant's account." },
  ),
);
export type AccountJson = Static<typeof AccountShape>;
