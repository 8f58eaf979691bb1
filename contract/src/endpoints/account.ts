import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { AccountShape, CORNERS, THEMES } from '../shapes/account.ts';
import { LIMITS, urlInput } from '../shapes/common.ts';
import { nullable, oneOf } from '../shapes/schema.ts';
import { CURRENCIES } from '../statuses.ts';

const color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', rule: 'a colour such as #0B6E4F', examples: ['#0B6E4F'] });

export const getAccount = endpoint({
  operationId: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  tag: 'Account',
  summary: 'Read the account',
  auth: 'credential',
  scope: 'account:read',
  success: { status: 200, data: AccountShape, envelope: 'object', description: 'The account.' },
  invalid: 'invalid_request',
});

export const updateAccount = endpoint({
  operationId: 'updateAccount',
  method: 'PATCH',
  path: '/v1/account',
  tag: 'Account',
  summary: 'Change the account',
  description: 'Only what is sent changes; null clears it.',
  auth: 'login',
  body: Type.Object({
    name: Type.Optional(
      nullable(Type.String({ maxLength: 100 }), { description: 'The name customers see.', examples: ['Fern & Fog'] }),
    ),
    logo_url: Type.Optional(
      nullable(urlInput('An https address.', 'https://shop.example.com/logo.svg'), {
        description: 'The logo customers see; an https address.',
      }),
    ),
    brand: Type.Optional(
      Type.Object(
        {
          accent_color: Type.Optional(nullable(color, { description: 'Colour of buttons and links.' })),
          background_color: Type.Optional(nullable(color, { description: 'Background of the hosted pages.' })),
          theme: Type.Optional(
            nullable(oneOf(THEMES), {
              description: 'Light or dark whatever the visitor prefers. Null: as they prefer.',
            }),
          ),
          corners: Type.Optional(
            nullable(oneOf(CORNERS), { description: 'How round boxes and buttons are. Null: round.' }),
          ),
        },
        { description: 'How the hosted pages look.' },
      ),
    ),
    support_email: Type.Optional(
      nullable(Type.String({ format: 'email', maxLength: 254 }), {
        description: 'Where customers may write to.',
        examples: ['help@shop.example.com'],
      }),
    ),
    support_url: Type.Optional(
      nullable(urlInput('An https address.', 'https://shop.example.com/help'), {
        description: 'Where customers find help; an https address.',
      }),
    ),
    frame_parents: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 20,
        description: 'Origins that may show the hosted pages in a frame.',
        examples: [['https://shop.example.com']],
      }),
    ),
    tolerance_bps: Type.Optional(
      nullable(Type.Integer({ minimum: 0, maximum: 500 }), {
        description:
          'The shortfall that still counts as paid, in hundredths of a percent, up to 5 %. Null: 0.5 %, and never more than 1.00.',
        examples: [50],
      }),
    ),
    wallets_by_login_only: Type.Optional(
      Type.Boolean({ description: 'Whether secret keys are refused new payout wallets.', examples: [true] }),
    ),
    session_defaults: Type.Optional(
      Type.Object(
        {
          currency: Type.Optional(nullable(oneOf(CURRENCIES), { description: 'Null: USD.' })),
          expires_in: Type.Optional(
            nullable(Type.Integer({ minimum: LIMITS.expiresInLeastSeconds, maximum: LIMITS.expiresInMostSeconds }), {
              description: 'Seconds until a session expires: a minute to 30 days. Null: 3600.',
            }),
          ),
          accepted_assets: Type.Optional(
            nullable(
              Type.Array(Type.String({ maxLength: 40 }), {
                minItems: 1,
                maxItems: 100,
                examples: [['USDC_BASE', 'USDC_SOLANA']],
              }),
              { description: 'What customers may pay with, as `ASSET_NETWORK`. Null: everything on the Safe List.' },
            ),
          ),
        },
        { description: 'What checkout sessions are like where a request, or a payment link, leaves it open.' },
      ),
    ),
  }),
  bodyOptional: true,
  success: { status: 200, data: AccountShape, envelope: 'object', description: 'The account as it is now.' },
  invalid: 'invalid_request',
});
