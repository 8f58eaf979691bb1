import { Type, type Static } from '@sinclair/typebox';
import { component, id, nullable, objectName, oneOf } from './schema.ts';
import { CURRENCIES } from '../statuses.ts';
import { livemode, timestamp } from './common.ts';

export const LOGIN_NETWORKS = ['ethereum', 'solana'] as const;
export type LoginNetwork = (typeof LOGIN_NETWORKS)[number];

const sessionToken = Type.String({
  description: 'The login token: send it as `Authorization: Bearer`.',
  pattern: '^ses_[0-9A-Za-z]{43}$',
  examples: ['ses_Qm7Xc2KxWp9RtVb4NzLs8HdYf5tGv8PqWn3LxJk7RzC'],
});

export const EmailLoginStartedShape = component('EmailLoginStarted', Type.Object({
  expires_in: Type.Integer({ description: 'Seconds the code is valid for.', examples: [600] }),
  sent: Type.Boolean({ description: 'Whether a code is on its way. The answer is the same whether or not the account exists.', examples: [true] }),
}));
export type EmailLoginStartedJson = Static<typeof EmailLoginStartedShape>;

export const EmailLoginShape = component('EmailLogin', Type.Object({ session_token: sessionToken }));
export type EmailLoginJson = Static<typeof EmailLoginShape>;

export const NonceShape = component('Nonce', Type.Object({
  nonce: Type.String({
    description: 'The whole message to sign, unchanged: Sign-In with Ethereum (EIP-4361) or Sign-In With Solana.',
    examples: ['pay.example.com wants you to sign in with your Ethereum account:\n0x52908400098527886E0F7030069857D2E4169EE7\n\nLog in to Quittance.\n\nURI: https://pay.example.com\nVersion: 1\nChain ID: 1\nNonce: 4Xq2LwZ8nT6vRb1K\nIssued At: 2026-03-14T09:26:53.589Z\nExpiration Time: 2026-03-14T09:31:53.589Z'],
  }),
  expires_in: Type.Integer({ description: 'Seconds the message can be signed within.', examples: [300] }),
}));
export type NonceJson = Static<typeof NonceShape>;

export const WalletLoginShape = component('WalletLogin', Type.Object({
  session_token: sessionToken,
  payout_wallet_id: id('pp', 'The account\'s payout wallet in live mode: the wallet that signed.'),
}));
export type WalletLoginJson = Static<typeof WalletLoginShape>;

export const LoggedOutShape = component('LoggedOut', Type.Object({
  logged_out: Type.Boolean({ description: 'Always true.', examples: [true] }),
}));
export type LoggedOutJson = Static<typeof LoggedOutShape>;

const color = (description: string, example: string) =>
  nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }), { description, examples: [example] });

export const THEMES = ['light', 'dark'] as const;
export const CORNERS = ['round', 'soft', 'square'] as const;

export const BrandShape = component('Brand', Type.Object({
  accent_color: color('Colour of buttons and links on the hosted pages; null for ours.', '#0B6E4F'),
  background_color: color('Background of the hosted pages; null for ours.', '#FFFFFF'),
  theme: nullable(oneOf(THEMES), { description: 'Light or dark whatever the visitor prefers; null: as they prefer.', examples: [null] }),
  corners: nullable(oneOf(CORNERS), { description: 'Null: round.', examples: [null] }),
}, { description: 'How the hosted pages look.' }));
export type BrandJson = Static<typeof BrandShape>;

export const AccountShape = component('Account', Type.Object({
  id: id('acc', 'The account.'),
  object: objectName('account'),
  livemode: Type.Boolean({ description: 'The mode of the credential that asked.', examples: [true] }),
  login_method: oneOf(['email', 'wallet'], { description: 'Email accounts manage many payout wallets, wallet accounts have the one they log in with.', examples: ['email'] }),
  email: nullable(Type.String(), { description: 'The login address, where the account has one.', examples: ['shop@example.com'] }),
  login_wallet: nullable(Type.Object({
    network: oneOf(LOGIN_NETWORKS, { examples: ['ethereum'] }),
    address: Type.String({ examples: ['0x52908400098527886E0F7030069857D2E4169EE7'] }),
  }), { description: 'The wallet that logs in, where the account is a wallet account.', examples: [null] }),
  name: nullable(Type.String(), { description: 'The name customers see.', examples: ['Fern & Fog'] }),
  logo_url: nullable(Type.String(), { description: 'The logo customers see.', examples: ['https://shop.example.com/logo.svg'] }),
  brand: BrandShape,
  support_email: nullable(Type.String(), { description: 'Where customers may write to.', examples: ['help@shop.example.com'] }),
  support_url: nullable(Type.String(), { description: 'Where customers find help.', examples: ['https://shop.example.com/help'] }),
  frame_parents: Type.Array(Type.String(), { description: 'Origins that may show the hosted pages in a frame.', examples: [['https://shop.example.com']] }),
  tolerance_bps: nullable(Type.Integer({ minimum: 0, maximum: 500 }), { description: 'The shortfall that still counts as paid, in hundredths of a percent. Null: 0.5 %, and never more than 1.00 of the display currency.', examples: [null] }),
  wallets_by_login_only: Type.Boolean({ description: 'Whether secret keys are refused new payout wallets.', examples: [false] }),
  session_defaults: Type.Object({
    currency: nullable(oneOf(CURRENCIES), { description: 'Null: USD.', examples: [null] }),
    expires_in: nullable(Type.Integer(), { description: 'Seconds. Null: 3600.', examples: [null] }),
    accepted_assets: nullable(Type.Array(Type.String()), { description: 'Null: everything on the Safe List.', examples: [null] }),
  }, { description: 'What checkout sessions are like where a request, or a payment link, leaves it open.' }),
  test_clock: Type.Object({
    now: timestamp('The time it is in the account\'s test mode.'),
    offset_seconds: Type.Integer({ minimum: 0, description: 'How far the test clock has been moved ahead.', examples: [0] }),
  }, { description: 'The clock of the account\'s test mode.' }),
  created_at: timestamp('When the account was made.'),
}, { description: 'The merchant\'s account.' }));
export type AccountJson = Static<typeof AccountShape>;

export const MODES = ['live', 'test'] as const;
export type Mode = (typeof MODES)[number];

const apiKey = {
  id: id('key', 'The key\'s id; not the key itself.'),
  object: objectName('api_key'),
  livemode,
  label: nullable(Type.String(), { description: 'Your name for it.', examples: ['Web shop'] }),
  last4: Type.String({ description: 'The last four characters of the secret, to recognise it by.', examples: ['x7Qp'] }),
  created_at: timestamp('When it was made.'),
  last_used_at: nullable(Type.String({ format: 'date-time' }), { description: 'When it was last seen, to the minute or so; null where it never was.', examples: [null] }),
};

export const ApiKeyShape = component('ApiKey', Type.Object(apiKey, { description: 'A secret key, without its secret.' }));
export type ApiKeyJson = Static<typeof ApiKeyShape>;

export const ApiKeyWithSecretShape = component('ApiKeyWithSecret', Type.Object({
  ...apiKey,
  secret: Type.String({
    description: 'The secret key, shown this once: only its hash is kept.',
    pattern: '^sk_(live|test)_[0-9A-Za-z]{36}$',
    examples: ['sk_test_exampleExampleExampleExample00000000'],
  }),
}, { description: 'A secret key at the moment it is made.' }));
export type ApiKeyWithSecretJson = Static<typeof ApiKeyWithSecretShape>;
