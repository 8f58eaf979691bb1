import { Type, type Static } from '@sinclair/typebox';
import { CURRENCIES } from '../statuses.ts';
import { LOGIN_NETWORKS } from './auth.ts';
import { timestamp } from './common.ts';
import { component, id, nullable, objectName, oneOf } from './schema.ts';

const color = (description: string, example: string) =>
  nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }), { description, examples: [example] });

export const THEMES = ['light', 'dark'] as const;
export const CORNERS = ['round', 'soft', 'square'] as const;

export const BrandShape = component(
  'Brand',
  Type.Object(
    {
      accent_color: color('Colour of buttons and links on the hosted pages; null for ours.', '#0B6E4F'),
      background_color: color('Background of the hosted pages; null for ours.', '#FFFFFF'),
      theme: nullable(oneOf(THEMES), {
        description: 'Light or dark whatever the visitor prefers; null: as they prefer.',
        examples: [null],
      }),
      corners: nullable(oneOf(CORNERS), { description: 'Null: round.', examples: [null] }),
    },
    { description: 'How the hosted pages look.' },
  ),
);
export type BrandJson = Static<typeof BrandShape>;

export const AccountShape = component(
  'Account',
  Type.Object(
    {
      id: id('acc', 'The account.'),
      object: objectName('account'),
      livemode: Type.Boolean({ description: 'The mode of the credential that asked.', examples: [true] }),
      login_method: oneOf(['email', 'wallet'], {
        description: 'Email accounts manage many payout wallets, wallet accounts have the one they log in with.',
        examples: ['email'],
      }),
      email: nullable(Type.String(), {
        description: 'The login address, where the account has one.',
        examples: ['shop@example.com'],
      }),
      login_wallet: nullable(
        Type.Object({
          network: oneOf(LOGIN_NETWORKS, { examples: ['ethereum'] }),
          address: Type.String({ examples: ['0x52908400098527886E0F7030069857D2E4169EE7'] }),
        }),
        { description: 'The wallet that logs in, where the account is a wallet account.', examples: [null] },
      ),
      name: nullable(Type.String(), { description: 'The name customers see.', examples: ['Fern & Fog'] }),
      logo_url: nullable(Type.String(), {
        description: 'The logo customers see.',
        examples: ['https://shop.example.com/logo.svg'],
      }),
      brand: BrandShape,
      support_email: nullable(Type.String(), {
        description: 'Where customers may write to.',
        examples: ['help@shop.example.com'],
      }),
      support_url: nullable(Type.String(), {
        description: 'Where customers find help.',
        examples: ['https://shop.example.com/help'],
      }),
      frame_parents: Type.Array(Type.String(), {
        description: 'Origins that may show the hosted pages in a frame.',
        examples: [['https://shop.example.com']],
      }),
      tolerance_bps: nullable(Type.Integer({ minimum: 0, maximum: 500 }), {
        description:
          'The shortfall that still counts as paid, in hundredths of a percent. Null: 0.5 %, and never more than 1.00 of the display currency.',
        examples: [null],
      }),
      wallets_by_login_only: Type.Boolean({
        description: 'Whether secret keys are refused new payout wallets.',
        examples: [false],
      }),
      session_defaults: Type.Object(
        {
          currency: nullable(oneOf(CURRENCIES), { description: 'Null: USD.', examples: [null] }),
          expires_in: nullable(Type.Integer(), { description: 'Seconds. Null: 3600.', examples: [null] }),
          accepted_assets: nullable(Type.Array(Type.String()), {
            description: 'Null: everything on the Safe List.',
            examples: [null],
          }),
        },
        { description: 'What checkout sessions are like where a request, or a payment link, leaves it open.' },
      ),
      test_clock: Type.Object(
        {
          now: timestamp("The time it is in the account's test mode."),
          offset_seconds: Type.Integer({
            minimum: 0,
            description: 'How far the test clock has been moved ahead.',
            examples: [0],
          }),
        },
        { description: "The clock of the account's test mode." },
      ),
      created_at: timestamp('When the account was made.'),
    },
    { description: "The merchant's account." },
  ),
);
export type AccountJson = Static<typeof AccountShape>;
