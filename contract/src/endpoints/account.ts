import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { AccountShape, CORNERS, NEEDS_DECISION, THEMES } from '../shapes/account.ts';
import { emailInput, LIMITS, urlInput } from '../shapes/common.ts';
import { nullable, oneOf, described } from '../shapes/schema.ts';
import { CURRENCIES } from '../statuses.ts';

const color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', rule: 'a color such as #0B6E4F', examples: ['#0B6E4F'] });

const getAccount = endpoint({
  method: 'GET',
  path: '/v1/account',
  tag: 'Account',
  summary: 'Retrieve the account',
  auth: 'credential',
  scope: 'account:read',
  success: { status: 200, data: AccountShape, envelope: 'object', description: 'The account.' },
});

const updateAccount = endpoint({
  method: 'PATCH',
  path: '/v1/account',
  tag: 'Account',
  summary: 'Update the account',
  description: 'Updates only the fields you send. Send null to clear a field.',
  auth: 'login',
  body: Type.Object({
    name: Type.Optional(
      nullable(Type.String({ text: 'line', maxLength: 100 }), described('The name shown to customers.', 'Fern & Fog')),
    ),
    logo_url: Type.Optional(
      nullable(urlInput('An https URL.', 'https://shop.example.com/logo.svg'), {
        description: 'The logo shown to customers. An https URL.',
      }),
    ),
    brand: Type.Optional(
      Type.Object(
        {
          accent_color: Type.Optional(nullable(color, { description: 'Color of buttons and links.' })),
          background_color: Type.Optional(nullable(color, { description: 'Background color of the hosted pages.' })),
          theme: Type.Optional(
            nullable(oneOf(THEMES), {
              description: "Theme of the hosted pages. Null follows the visitor's device.",
            }),
          ),
          corners: Type.Optional(
            nullable(oneOf(CORNERS), { description: 'Corner style of boxes and buttons. Null means `round`.' }),
          ),
        },
        { description: 'Appearance of the hosted pages.' },
      ),
    ),
    support_email: Type.Optional(
      nullable(emailInput('An email address.', 'help@shop.example.com'), {
        description: 'Support email address shown to customers.',
        examples: ['help@shop.example.com'],
      }),
    ),
    support_url: Type.Optional(
      nullable(urlInput('An https URL.', 'https://shop.example.com/help'), {
        description: 'Support page shown to customers. An https URL.',
      }),
    ),
    receipt_details: Type.Optional(
      nullable(Type.String({ text: 'lines', maxLength: LIMITS.metadataValueLength }), {
        description: 'Lines about you that are printed on receipts, such as your company, address and tax number.',
        examples: ['Fern & Fog GmbH\nHauptstr. 1, 10827 Berlin\nVAT DE123456789'],
      }),
    ),
    frame_parents: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 20,
        description: 'Origins that may embed the hosted pages in a frame.',
        examples: [['https://shop.example.com']],
      }),
    ),
    paymaster_url: Type.Optional(
      nullable(urlInput('An https URL.', 'https://paymaster.example.com/v1/base/key'), {
        description:
          'Your paymaster (ERC-7677). It pays the network fee of customers whose wallets batch calls. Only its host can be read again.',
      }),
    ),
    tolerance_bps: Type.Optional(
      nullable(Type.Integer({ minimum: 0, maximum: 500 }), {
        description:
          'Underpayment tolerance in basis points, up to 500 (5%). Null means 0.5%, capped at 1.00 in the display currency.',
        examples: [50],
      }),
    ),
    wallets_by_login_only: Type.Optional(
      Type.Boolean(described('If `true`, secret keys cannot add payout wallets.', true)),
    ),
    confirm_key_wallets: Type.Optional(
      Type.Boolean({
        description:
          'If `true`, payout wallets that live secret keys add wait for you to confirm them in the dashboard.',
        examples: [true],
      }),
    ),
    email_notifications: Type.Optional(
      Type.Object(
        {
          paid: Type.Optional(Type.Boolean(described('A payment is paid.', true))),
          needs_decision: Type.Optional(Type.Boolean({ description: NEEDS_DECISION, examples: [true] })),
          unattributed: Type.Optional(
            Type.Boolean(described('A final transfer to a payout wallet belongs to no payment.', false)),
          ),
        },
        {
          description:
            'Emails that you receive, at the address that you log in with. Many at once become one summary an hour.',
        },
      ),
    ),
    email_receipts: Type.Optional(
      Type.Boolean({
        description:
          'Send customers a receipt at `customer.email` once their payment is paid. In live mode only ' +
          'for payments to a verified payout wallet, in test mode only to your own address.',
        examples: [true],
      }),
    ),
    session_defaults: Type.Optional(
      Type.Object(
        {
          currency: Type.Optional(nullable(oneOf(CURRENCIES), { description: 'Null means `USD`.' })),
          expires_in: Type.Optional(
            nullable(Type.Integer({ minimum: LIMITS.expiresInLeastSeconds, maximum: LIMITS.expiresInMostSeconds }), {
              description: 'Seconds until a session expires, from 60 to 2592000 (30 days). Null means 3600.',
            }),
          ),
          accepted_assets: Type.Optional(
            nullable(
              Type.Array(Type.String({ maxLength: 40 }), {
                minItems: 1,
                maxItems: 100,
                examples: [['USDC_BASE', 'USDC_SOLANA']],
              }),
              {
                description: 'Assets that customers may pay with, as `ASSET_NETWORK`. Null means all supported assets.',
              },
            ),
          ),
        },
        {
          description: 'Defaults for checkout sessions, used when a request or payment link does not specify a value.',
        },
      ),
    ),
  }),
  bodyOptional: true,
  success: { status: 200, data: AccountShape, envelope: 'object', description: 'The updated account.' },
});

export const accountEndpoints = { getAccount, updateAccount };
