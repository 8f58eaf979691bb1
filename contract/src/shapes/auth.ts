import { Type, type Static } from '@sinclair/typebox';
import { SCOPE_NAMES, SCOPES } from '../scopes.ts';
import { signInText } from '../sign-in-message.ts';
import { livemode, timestamp } from './common.ts';
import { component, id, nullable, objectName, oneOf, described } from './schema.ts';

export const LOGIN_NETWORKS = ['ethereum', 'solana'] as const;
export type LoginNetwork = (typeof LOGIN_NETWORKS)[number];

const sessionToken = Type.String({
  description: 'The login token: send it as `Authorization: Bearer`.',
  pattern: '^ses_[0-9A-Za-z]{43}$',
  examples: ['ses_Qm7Xc2KxWp9RtVb4NzLs8HdYf5tGv8PqWn3LxJk7RzC'],
});

export const EmailLoginStartedShape = component(
  'EmailLoginStarted',
  Type.Object({
    expires_in: Type.Integer(described('Seconds until the code expires.', 600)),
    sent: Type.Boolean({
      description: 'Whether a code was sent. The response is identical whether or not an account exists.',
      examples: [true],
    }),
  }),
);

export const EmailLoginShape = component('EmailLogin', Type.Object({ session_token: sessionToken }));

export const NonceShape = component(
  'Nonce',
  Type.Object({
    nonce: Type.String({
      description:
        'The message to sign, unchanged, in the format of Sign-In with Ethereum (EIP-4361) or Sign-In With Solana.',
      examples: [
        signInText({
          network: 'ethereum',
          address: '0x52908400098527886E0F7030069857D2E4169EE7',
          publicUrl: 'https://pay.example.com',
          nonce: '4Xq2LwZ8nT6vRb1KsYc9Md',
          issuedAt: new Date('2026-03-14T09:26:53.589Z'),
          expiresAt: new Date('2026-03-14T09:31:53.589Z'),
        }),
      ],
    }),
    expires_in: Type.Integer(described('Seconds until the message expires.', 300)),
  }),
);

export const WalletLoginShape = component(
  'WalletLogin',
  Type.Object({
    session_token: sessionToken,
    payout_wallet_id: id('pp', "The account's payout wallet in live mode: the wallet that signed."),
  }),
);

export const LoggedOutShape = component(
  'LoggedOut',
  Type.Object({
    logged_out: Type.Boolean(described('Always true.', true)),
  }),
);

export const MODES = ['live', 'test'] as const;
export type Mode = (typeof MODES)[number];

export const ScopeShape = component(
  'Scope',
  oneOf(SCOPE_NAMES, {
    description: Object.entries(SCOPES)
      .map(([name, allows]) => `\`${name}\`: ${allows}`)
      .join(' '),
    examples: ['sessions:write'],
  }),
);

const apiKey = {
  id: id('key', "The key's ID, which is not the key itself."),
  object: objectName('api_key'),
  livemode,
  label: nullable(Type.String(), described('A label for your own reference.', 'Web shop')),
  last4: Type.String(described('The last four characters of the secret, to help you recognize it.', 'x7Qp')),
  scopes: Type.Optional(
    Type.Array(ScopeShape, {
      description: 'Scopes of the key. Absent for a key with full access.',
      examples: [['sessions:write', 'payments:read']],
    }),
  ),
  previous_expires_at: Type.Optional(
    timestamp('When the secret before the last rotation stops working. Absent if it does not work any more.'),
  ),
  created_at: timestamp('When it was created.'),
  last_used_at: nullable(Type.String({ format: 'date-time' }), {
    description: 'When its current secret was last used, to about a minute; null if never.',
    examples: [null],
  }),
};

export const ApiKeyShape = component(
  'ApiKey',
  Type.Object(apiKey, { description: 'A secret key, without its secret.' }),
);
export type ApiKeyJson = Static<typeof ApiKeyShape>;

export const ApiKeyWithSecretShape = component(
  'ApiKeyWithSecret',
  Type.Object(
    {
      ...apiKey,
      secret: Type.String({
        description: 'The secret key. Returned only once, because only its hash is stored.',
        pattern: '^sk_(live|test)_[0-9A-Za-z]{36}$',
        examples: ['sk_test_exampleExampleExampleExample00000000'],
      }),
    },
    { description: 'A newly created or rotated secret key, including the secret.' },
  ),
);
export type ApiKeyWithSecretJson = Static<typeof ApiKeyWithSecretShape>;
