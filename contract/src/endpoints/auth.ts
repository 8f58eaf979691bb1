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
import { deletedShape, LIMITS, pageQuery } from '../shapes/common.ts';
import { oneOf, pathId } from '../shapes/schema.ts';

const email = Type.String({
  description: 'The address to log in with.',
  format: 'email',
  maxLength: 254,
  examples: ['shop@example.com'],
});
const address = Type.String({
  description: "The wallet's address.",
  minLength: 1,
  maxLength: 128,
  examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
});
const network = Type.Optional(
  oneOf(LOGIN_NETWORKS, { description: 'Which kind of wallet it is.', default: 'ethereum', examples: ['ethereum'] }),
);
const invitation = Type.Optional(
  Type.String({
    description:
      'The token of an invitation or setup link, if this login is to open an account on a server that needs one. An existing account does not use it up.',
    minLength: 1,
    maxLength: 128,
    examples: ['Qm7Xc2KxWp9RtVb4NzLs8HdYf5tGv8PqWn3LxJk7RzC'],
  }),
);

export const startEmailLogin = endpoint({
  operationId: 'startEmailLogin',
  method: 'POST',
  path: '/v1/auth/email/start',
  tag: 'Login',
  summary: 'Send a login code by mail',
  description:
    'Sends a one-time code of six characters. The answer is the same whether or not the address has an account. The first login opens one if the server accepts new accounts; otherwise the mail says what to do.',
  auth: 'none',
  body: Type.Object({ email, invitation }),
  success: { status: 200, data: EmailLoginStartedShape, envelope: 'object', description: 'A code is on its way.' },
  invalid: 'invalid_email_request',
  errors: ['invalid_invitation', 'email_unavailable'],
});

export const verifyEmailCode = endpoint({
  operationId: 'verifyEmailCode',
  method: 'POST',
  path: '/v1/auth/email/verify',
  tag: 'Login',
  summary: 'Exchange the code for a login token',
  description:
    'Upper and lower case are the same. A code works once. A client has five tries per code and 20 verifications a minute; wrong tries of other clients do not use up yours.',
  auth: 'none',
  body: Type.Object({
    email,
    code: Type.String({
      description: 'The six characters of the mail.',
      minLength: 6,
      maxLength: 6,
      examples: ['K7MQ2X'],
    }),
  }),
  success: { status: 200, data: EmailLoginShape, envelope: 'object', description: 'You are logged in.' },
  invalid: 'invalid_email_request',
  errors: ['invalid_code', 'invalid_invitation', 'signup_closed', 'forbidden', 'email_unavailable'],
});

export const issueNonce = endpoint({
  operationId: 'issueNonce',
  method: 'POST',
  path: '/v1/auth/nonce',
  tag: 'Login',
  summary: 'Get the message a wallet signs to log in',
  description: 'The answer is the whole text to sign. It is used up by the first signature that fits.',
  auth: 'none',
  body: Type.Object({ address, network }),
  success: { status: 200, data: NonceShape, envelope: 'object', description: 'The message to sign.' },
  invalid: 'invalid_nonce_request',
});

export const verifyWallet = endpoint({
  operationId: 'verifyWallet',
  method: 'POST',
  path: '/v1/auth/verify',
  tag: 'Login',
  summary: "Exchange a wallet's signature for a login token",
  description:
    'The first login opens an account whose only payout wallet is the one that signed, if the server accepts new accounts. Ethereum: 65 or 64 bytes in hex, contract wallets included. Solana: base58, base64 or hex.',
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
  success: { status: 200, data: WalletLoginShape, envelope: 'object', description: 'You are logged in.' },
  invalid: 'invalid_signature',
  errors: ['invalid_invitation', 'signup_closed', 'forbidden'],
});

export const logout = endpoint({
  operationId: 'logout',
  method: 'POST',
  path: '/v1/auth/logout',
  tag: 'Login',
  summary: 'End this login',
  description: 'The token that asks is refused from now on.',
  auth: 'login',
  success: { status: 200, data: LoggedOutShape, envelope: 'object', description: 'You are logged out.' },
  invalid: 'invalid_request',
});

export const logoutEverywhere = endpoint({
  operationId: 'logoutEverywhere',
  method: 'POST',
  path: '/v1/auth/logout-everywhere',
  tag: 'Login',
  summary: 'End every login of the account',
  description: 'All its login tokens are refused from now on. Secret keys go on working.',
  auth: 'login',
  success: { status: 200, data: LoggedOutShape, envelope: 'object', description: 'Everybody is logged out.' },
  invalid: 'invalid_request',
});

export const createApiKey = endpoint({
  operationId: 'createApiKey',
  method: 'POST',
  path: '/v1/api-keys',
  tag: 'API keys',
  summary: 'Make a secret key',
  description: "The secret is in this answer only. The mode is the body's, whatever `Service-Mode` says.",
  auth: 'login',
  body: Type.Object({
    mode: oneOf(MODES, { description: 'The mode the key works in.', examples: ['test'] }),
    label: Type.Optional(
      Type.String({ description: 'Your name for it.', maxLength: LIMITS.labelLength, examples: ['Web shop'] }),
    ),
    scopes: Type.Optional(
      Type.Array(ScopeShape, {
        description: 'What the key may do, and nothing else. Duplicates are ignored. Left out: everything.',
        minItems: 1,
        maxItems: 100,
        examples: [['sessions:write', 'payments:read']],
      }),
    ),
  }),
  success: { status: 201, data: ApiKeyWithSecretShape, envelope: 'object', description: 'The key, with its secret.' },
  invalid: 'invalid_request',
});

export const getCurrentApiKey = endpoint({
  operationId: 'getCurrentApiKey',
  method: 'GET',
  path: '/v1/api-keys/current',
  tag: 'API keys',
  summary: 'Read the key that asks',
  description: 'Every key may, whatever its scopes. A login token gets 403.',
  auth: 'credential',
  scope: 'any',
  success: { status: 200, data: ApiKeyShape, envelope: 'object', description: 'The key.' },
  invalid: 'invalid_request',
  errors: ['forbidden'],
});

export const listApiKeys = endpoint({
  operationId: 'listApiKeys',
  method: 'GET',
  path: '/v1/api-keys',
  tag: 'API keys',
  summary: 'List the secret keys',
  description: 'Those of both modes, newest first, unless `mode` names one.',
  auth: 'login',
  query: Type.Object({
    ...pageQuery(),
    mode: Type.Optional(oneOf(MODES, { description: 'Only keys of this mode.', examples: ['test'] })),
  }),
  success: { status: 200, data: ApiKeyShape, envelope: 'list', description: 'A page of keys.' },
  invalid: 'invalid_list_request',
});

export const rotateApiKey = endpoint({
  operationId: 'rotateApiKey',
  method: 'POST',
  path: '/v1/api-keys/{id}/rotate',
  tag: 'API keys',
  summary: "Replace a key's secret",
  description: 'The old secret is refused from this moment.',
  auth: 'login',
  params: pathId('key', 'The key.'),
  success: {
    status: 200,
    data: ApiKeyWithSecretShape,
    envelope: 'object',
    description: 'The key, with its new secret.',
  },
  invalid: 'invalid_request',
  errors: ['not_found'],
});

export const deleteApiKey = endpoint({
  operationId: 'deleteApiKey',
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  tag: 'API keys',
  summary: 'Revoke a key',
  description: 'It is refused from this moment.',
  auth: 'login',
  params: pathId('key', 'The key.'),
  success: {
    status: 200,
    data: deletedShape('DeletedApiKey', 'key'),
    envelope: 'object',
    description: 'It is revoked.',
  },
  invalid: 'invalid_request',
  errors: ['not_found'],
});
