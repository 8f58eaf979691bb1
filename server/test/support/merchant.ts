import { EVENT_TYPES } from '@quittance/contract';
import type { Context } from '../../src/context.ts';
import { newId, randomBase62 } from '../../src/platform/ids.ts';
import { createApiKey } from '../../src/resources/accounts/api-keys.ts';
import { issueLoginToken } from '../../src/resources/accounts/login-token.ts';
import { findOrCreateEmailAccount } from '../../src/resources/accounts/store.ts';
import type { Inject, InjectInput, TestAnswer } from './app.ts';

export interface NewMerchantOptions {
  email?: string;
  /** The mode of the helpers; `test` by default. */
  mode?: 'test' | 'live';
}

export interface CallOptions {
  idempotencyKey?: string;
  headers?: Record<string, string | undefined>;
}

/**
 * An error response, thrown by the helpers: `await expect(merchant.get('/v1/…')).rejects.toMatchObject({ status: 404,
 * code: 'not_found' })`.
 */
export class ApiCallError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly answer: TestAnswer;

  constructor(what: string, answer: TestAnswer) {
    super(`${what} answered ${answer.status} ${answer.body?.error?.code}: ${answer.body?.error?.message}`);
    this.status = answer.status;
    this.code = answer.body?.error?.code;
    this.param = answer.body?.error?.param ?? null;
    this.answer = answer;
  }
}

type Data = any;
type Fields = object;

/** A merchant with an email account, acting by its secret key (or, as `merchant.dashboard`, by its login token). */
export interface Merchant {
  accountId: string;
  email: string;
  livemode: boolean;
  testKey: string;
  liveKey: string;
  loginToken: string;
  /** The credential of its requests: a key or the login token. */
  token: string;
  /** The same account in live mode, in test mode, and logged in (in the same mode). */
  live: Merchant;
  test: Merchant;
  dashboard: Merchant;

  /** The whole response, including errors. */
  request(method: Parameters<Inject>[0], path: string, input?: InjectInput): Promise<TestAnswer>;
  /** `data` of the response (for lists the whole page); throws `ApiCallError` on an error. Paths are below /v1. */
  get(path: string, query?: InjectInput['query']): Promise<Data>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Data>;
  patch(path: string, body: unknown): Promise<Data>;
  delete(path: string): Promise<Data>;

  createWallet(fields?: Fields, options?: CallOptions): Promise<Data>;
  /** For the default wallet, which the first call creates. */
  createSession(fields?: Fields, options?: CallOptions): Promise<Data>;
  createLink(fields?: Fields, options?: CallOptions): Promise<Data>;
  createEndpoint(fields?: Fields, options?: CallOptions): Promise<Data>;
  /** Simulates a payment of a test session in USDC on Base. */
  pay(sessionId: string, outcome?: string): Promise<Data>;
}

/** A new account, created without a login mail, which has its own tests. */
export async function newMerchant(
  ctx: Pick<Context, 'db'>,
  inject: Inject,
  { email, mode = 'test' }: NewMerchantOptions = {},
): Promise<Merchant> {
  const address = email ?? `${randomBase62(12).toLowerCase()}@merchant.example`;
  const now = await ctx.db.now();
  const credentials = await ctx.db.transaction(async (db) => {
    const accountId = await findOrCreateEmailAccount(db, { id: newId('acc'), email: address, now });
    const account = { id: accountId, realNow: now };
    return {
      accountId,
      email: address,
      testKey: (await createApiKey(db, account, { livemode: false, label: null })).secret,
      liveKey: (await createApiKey(db, account, { livemode: true, label: null })).secret,
      loginToken: await issueLoginToken(db, { accountId, method: 'email', now }),
    };
  });

  const wallets = new Map<boolean, Promise<Data>>();
  return acting(mode === 'live', 'key');

  function acting(livemode: boolean, via: 'key' | 'login'): Merchant {
    const token = via === 'login' ? credentials.loginToken : livemode ? credentials.liveKey : credentials.testKey;
    const merchant: Merchant = {
      ...credentials,
      livemode,
      token,
      get live() {
        return acting(true, via);
      },
      get test() {
        return acting(false, via);
      },
      get dashboard() {
        return acting(livemode, 'login');
      },

      request: (method, path, input = {}) =>
        inject(method, below(path), {
          token,
          ...input,
          headers: { ...(via === 'login' && { 'service-mode': livemode ? 'live' : 'test' }), ...input.headers },
        }),
      get: (path, query) => call('GET', path, { query }),
      post: (path, body, { idempotencyKey, headers } = {}) =>
        call('POST', path, {
          body,
          headers: { ...headers, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
        }),
      patch: (path, body) => call('PATCH', path, { body }),
      delete: (path) => call('DELETE', path),

      createWallet: (fields, options) =>
        merchant.post(
          '/payout-wallets',
          {
            asset: 'USDC',
            network: 'base',
            address: '0x52908400098527886E0F7030069857D2E4169EE7',
            ...fields,
          },
          options,
        ),
      async createSession(fields = {}, options) {
        if (!('payout_wallet_id' in fields)) await wallet();
        return merchant.post('/checkout/sessions', { amount: '49.00', currency: 'USD', ...fields }, options);
      },
      async createLink(fields = {}, options) {
        const payoutWalletId = 'payout_wallet_id' in fields ? fields.payout_wallet_id : (await wallet()).id;
        return merchant.post(
          '/payment-links',
          { payout_wallet_id: payoutWalletId, amount: '49.00', currency: 'USD', description: 'A thing', ...fields },
          options,
        );
      },
      createEndpoint: (fields, options) =>
        merchant.post(
          '/webhook-endpoints',
          { url: 'https://merchant.example/webhooks', events: EVENT_TYPES, ...fields },
          options,
        ),
      pay: (sessionId, outcome = 'paid') =>
        merchant.post(`/test_helpers/checkout/sessions/${sessionId}/pay`, {
          pay_asset: 'USDC',
          pay_network: 'base',
          outcome,
        }),
    };
    return merchant;

    async function call(method: Parameters<Inject>[0], path: string, input?: InjectInput): Promise<Data> {
      const answer = await merchant.request(method, path, input);
      if (answer.status >= 400) throw new ApiCallError(`${method} ${path}`, answer);
      return answer.body?.pagination ? answer.body : answer.body?.data;
    }

    /** The account's default wallet of this mode; created once, even if several sessions are created at once. */
    function wallet(): Promise<Data> {
      const known = wallets.get(livemode) ?? findOrCreateWallet();
      wallets.set(livemode, known);
      return known;
    }

    async function findOrCreateWallet(): Promise<Data> {
      const { data } = await merchant.get('/payout-wallets');
      return data.find((found: Data) => found.is_default) ?? data[0] ?? merchant.createWallet();
    }
  }
}

function below(path: string): string {
  return path.startsWith('/v1/') ? path : `/v1${path}`;
}
