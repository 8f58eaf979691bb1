import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import {
  ApiKeyShape,
  ApiKeyWithSecretShape,
  EmailLoginShape,
  EmailLoginStartedShape,
  LOGIN_NETWORKS,
  LoggedOutShape,
  MODES,
  NonceShape,
  ScopeShape,
  WalletLoginShape,
} from '../shapes/auth.ts';
import { deletedShape, emailInput, LIMITS, pageQuery } from '../shapes/common.ts';
import { oneOf, pathId, described } from '../shapes/schema.ts';

const email = emailInput('The email address to log in with.', 'shop@example.com');
const address = Type.String({
  description: "The wallet's address.",
  minLength: 1,
  maxLength: 128,
  examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
});
const network = Type.Optional(
  oneOf(LOGIN_NETWORKS, { description: "The wallet's network.", default: 'ethereum', examples: ['ethereum'] }),
);
const invitation = Type.Optional(
  Type.String({
    description:
      'The token of an invitation or setup link, if the server requires one to open an account. Logging ' +
      'in to an existing account does not consume it.',
    minLength: 1,
    maxLength: 128,
    examples: ['Qm7Xc2KxWp9RtVb4NzLs8HdYf5tGv8PqWn3LxJk7RzC'],
  }),
);

const startEmailLogin = endpoint({
  method: 'POST',
  path: '/v1/auth/email/start',
  tag: 'Login',
  summary: 'Email a login code',
  description:
    'Sends a one-time code of six characters. The response is identical whether or not an account ' +
    'exists. The first login creates one if the server accepts new accounts; otherwise the email ' +
    'explains what to do. An address gets at most 10 emails an hour and 20 a day. Beyond that the ' +
    'response is the same, nothing is sent, and the codes of earlier emails stay valid.',
  auth: 'none',
  body: Type.Object({ email, invitation }),
  success: { status: 200, data: EmailLoginStartedShape, envelope: 'object', description: 'The request was accepted.' },
  invalid: 'invalid_email_request',
  errors: ['invalid_invitation', 'email_unavailable'],
});

const verifyEmailCode = endpoint({
  method: 'POST',
  path: '/v1/auth/email/verify',
  tag: 'Login',
  summary: 'Exchange the code for a login token',
  description:
    'Codes are case-insensitive and single-use. A client has five attempts per code and 20 verifications ' +
    'per minute. Failed attempts by other clients do not count against yours.',
  auth: 'none',
  body: Type.Object({
    email,
    code: Type.String({
      description: 'The six-character code from the email.',
      minLength: 6,
      maxLength: 6,
      examples: ['K7MQ2X'],
    }),
  }),
  success: { status: 200, data: EmailLoginShape, envelope: 'object', description: 'The login token.' },
  invalid: 'invalid_email_request',
  errors: ['invalid_code', 'invalid_invitation', 'signup_closed', 'forbidden', 'email_unavailable'],
});

const issueNonce = endpoint({
  method: 'POST',
  path: '/v1/auth/nonce',
  tag: 'Login',
  summary: 'Create a message for wallet login',
  description: 'Returns the message that the wallet signs to log in. It can be used once.',
  auth: 'none',
  body: Type.Object({ address, network }),
  success: { status: 200, data: NonceShape, envelope: 'object', description: 'The message to sign.' },
  invalid: 'invalid_nonce_request',
});

const verifyWallet = endpoint({
  method: 'POST',
  path: '/v1/auth/verify',
  tag: 'Login',
  summary: "Exchange a wallet's signature for a login token",
  description:
    'If the server accepts new accounts, the first login creates an account whose only payout wallet is ' +
    'the one that signed. Ethereum signatures are 65 or 64 bytes in hex; contract wallets are ' +
    'supported. Solana signatures are base58, base64 or hex.',
  auth: 'none',
  body: Type.Object({
    address,
    network,
    signature: Type.String({
      description: "The wallet's signature of the message.",
      minLength: 1,
      maxLength: 65_536,
      examples: [`0x${'5c'.repeat(64)}1b`],
    }),
    invitation,
  }),
  success: { status: 200, data: WalletLoginShape, envelope: 'object', description: 'The login token.' },
  invalid: 'invalid_signature',
  errors: ['invalid_invitation', 'signup_closed', 'forbidden'],
});

const logout = endpoint({
  method: 'POST',
  path: '/v1/auth/logout',
  tag: 'Login',
  summary: 'Log out',
  description: 'Revokes the token used for this request.',
  auth: 'login',
  success: { status: 200, data: LoggedOutShape, envelope: 'object', description: 'The token is revoked.' },
});

const logoutEverywhere = endpoint({
  method: 'POST',
  path: '/v1/auth/logout-everywhere',
  tag: 'Login',
  summary: 'Log out everywhere',
  description: 'Revokes all login tokens of the account. Secret keys keep working.',
  auth: 'login',
  success: { status: 200, data: LoggedOutShape, envelope: 'object', description: 'All login tokens are revoked.' },
});

const createApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys',
  tag: 'API keys',
  summary: 'Create a secret key',
  description:
    'The secret is returned only in this response. `mode` in the body selects the mode; the `Service-Mode` header is ignored.',
  auth: 'login',
  body: Type.Object({
    mode: oneOf(MODES, described('The mode of the key.', 'test')),
    label: Type.Optional(
      Type.String({
        description: 'A label for your own reference.',
        text: 'line',
        maxLength: LIMITS.labelLength,
        examples: ['Web shop'],
      }),
    ),
    scopes: Type.Optional(
      Type.Array(ScopeShape, {
        description: 'Scopes of the key. Duplicates are ignored. Defaults to full access.',
        minItems: 1,
        maxItems: 100,
        examples: [['sessions:write', 'payments:read']],
      }),
    ),
  }),
  success: { status: 201, data: ApiKeyWithSecretShape, envelope: 'object', description: 'The key, with its secret.' },
});

const getCurrentApiKey = endpoint({
  method: 'GET',
  path: '/v1/api-keys/current',
  tag: 'API keys',
  summary: 'Retrieve the current key',
  description: 'Available to every key, whatever its scopes. A login token gets 403.',
  auth: 'credential',
  scope: 'any',
  success: { status: 200, data: ApiKeyShape, envelope: 'object', description: 'The key.' },
  errors: ['forbidden'],
});

const listApiKeys = endpoint({
  method: 'GET',
  path: '/v1/api-keys',
  tag: 'API keys',
  summary: 'List secret keys',
  description: 'Returns keys of both modes, newest first, unless you filter by `mode`.',
  auth: 'login',
  query: Type.Object({
    ...pageQuery(),
    mode: Type.Optional(oneOf(MODES, described('Filter by mode.', 'test'))),
  }),
  success: { status: 200, data: ApiKeyShape, envelope: 'list', description: 'A page of keys.' },
  invalid: 'invalid_list_request',
});

const rotateApiKey = endpoint({
  method: 'POST',
  path: '/v1/api-keys/{id}/rotate',
  tag: 'API keys',
  summary: 'Rotate a secret key',
  description:
    'The old secret stops working immediately, or after `overlap_seconds`. Another rotation or a revocation invalidates it immediately.',
  auth: 'login',
  params: pathId('key', 'The key.'),
  body: Type.Object({
    overlap_seconds: Type.Optional(
      Type.Integer({
        description: 'Seconds that the old secret stays valid, up to one week.',
        minimum: 0,
        maximum: 7 * 86_400,
        default: 0,
        examples: [3600],
      }),
    ),
  }),
  bodyOptional: true,
  success: {
    status: 200,
    data: ApiKeyWithSecretShape,
    envelope: 'object',
    description: 'The key, with its new secret.',
  },
  errors: ['not_found'],
});

const deleteApiKey = endpoint({
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  tag: 'API keys',
  summary: 'Revoke a secret key',
  description: 'The key stops working immediately.',
  auth: 'login',
  params: pathId('key', 'The key.'),
  success: {
    status: 200,
    data: deletedShape('DeletedApiKey', 'key'),
    envelope: 'object',
    description: 'Confirmation.',
  },
  errors: ['not_found'],
});

export const authEndpoints = {
  startEmailLogin,
  verifyEmailCode,
  issueNonce,
  verifyWallet,
  logout,
  logoutEverywhere,
  createApiKey,
  getCurrentApiKey,
  listApiKeys,
  rotateApiKey,
  deleteApiKey,
};
