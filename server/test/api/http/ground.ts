import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createLines } from '../../../src/lines.ts';
import type { Caller } from '../../../src/platform/caller.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import type { CredentialStore } from '../../../src/platform/http/admission/authenticate.ts';
import { newLoginToken, newSecretKey } from '../../../src/platform/http/admission/credentials.ts';
import { createLimiter } from '../../../src/platform/http/admission/rate-limit.ts';
import { Pace } from '../../../src/platform/http/admission/pace.ts';
import { createServer, type ServerOptions } from '../../../src/platform/http/server/server.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createSecrets, sha256 } from '../../../src/platform/secrets.ts';
import { createTestDatabase } from '../../support/database.ts';
import { type Hooks, noteRoutes, otherRoutes } from './notes.ts';

export interface Ground {
  url: string;
  db: Database;
  /** Creates an account's secret key. */
  key(account?: Partial<Caller>): string;
  /** Creates an account's login token. */
  token(account?: Partial<Caller>): string;
  revoke(secret: string): void;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  server: ReturnType<typeof createServer>;
  /** How often the credentials were looked up. */
  lookups: { count: number };
  hooks: Hooks;
  stop(): Promise<void>;
}

interface CallOptions {
  as?: string;
  body?: unknown;
  text?: string | Uint8Array;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: any;
}

/** More than the operating system's buffers. */
const LARGE_PAGE = Buffer.alloc(32 * 1024 * 1024);

/** A small service with the real HTTP server: notes, with one operation per promise. */
export async function startGround(
  overrides: Partial<ServerOptions<object>> & {
    requestsPerSecond?: number;
    windowSeconds?: number;
    redisUrl?: string;
  } = {},
): Promise<Ground> {
  const test = await createTestDatabase();
  const { db } = test;
  await db.query(
    'make_notes',
    'create table notes (id text primary key, account_id text, livemode boolean, text text, created_at timestamptz(3))',
  );
  const secrets = createSecrets(Buffer.alloc(32, 7));
  const log = pino({ level: 'silent' });
  const limiter = createLimiter({
    requestsPerSecond: overrides.requestsPerSecond ?? 10_000,
    windowSeconds: overrides.windowSeconds ?? 1,
    redisUrl: overrides.redisUrl ?? null,
    log,
  });
  const hooks: Hooks = {};
  const { store, ...credentials } = makeCredentials(db);

  const routes = [...noteRoutes({ db, secrets, hooks }), ...otherRoutes({ db, hooks })];

  const server = createServer<object>({
    ctx: {},
    routes,
    credentials: store,
    limiter,
    pace: new Pace(),
    writes: createLines().writes,
    secrets,
    database: db,
    log,
    trustedProxies: [],
    profile: 'development',
    publicUrl: 'http://localhost:3000',
    pages: (scope) => {
      scope.get('/healthz', { config: { rateLimit: 'show' } }, async () => ({ ok: true }));
      scope.get('/page', async (_request, reply) =>
        reply.type('text/html').header('content-security-policy', "default-src 'self'").send('<p>hello</p>'),
      );
      scope.get('/large-page', async () => LARGE_PAGE);
      scope.get('/bad-page', async () => {
        throw new Error('a secret detail');
      });
    },
    errorPage: (error) => `<h1>${error.status}</h1>`,
    ...overrides,
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;

  return {
    url,
    db,
    server,
    hooks,
    ...credentials,
    call: callerOf(url),
    async stop() {
      await server.close();
      await limiter.close();
      await test.drop();
    },
  };
}

function callerOf(url: string): Ground['call'] {
  return async (method, path, { as, body, text, headers } = {}) => {
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(url + path, {
      method,
      ...(payload === undefined ? {} : { body: payload as string }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
        ...headers,
      },
    });
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      json: answer.startsWith('{') ? JSON.parse(answer) : undefined,
    };
  };
}

function makeCredentials(db: Database) {
  const callers = new Map<string, Caller>();
  const lookups = { count: 0 };
  const find = async (hash: Buffer, livemode?: boolean): Promise<Caller | undefined> => {
    lookups.count += 1;
    const caller = callers.get(hash.toString('hex'));
    const now = await db.now();
    return caller && { ...caller, livemode: livemode ?? caller.livemode, now, realNow: now };
  };
  const store: CredentialStore = {
    findByKeyHash: (hash) => find(hash),
    findByTokenHash: (hash, livemode) => find(hash, livemode),
  };
  const add = (secret: string, account: Partial<Caller>, via: 'key' | 'login') => {
    callers.set(sha256(secret).toString('hex'), {
      id: newId('acc'),
      livemode: true,
      via,
      keyId: null,
      scopes: null,
      loginMethod: 'email',
      defaults: {},
      now: new Date(),
      realNow: new Date(),
      ...account,
    });
    return secret;
  };
  return {
    store,
    lookups,
    key: (account: Partial<Caller> = {}) => add(newSecretKey(account.livemode ?? true), account, 'key'),
    token: (account: Partial<Caller> = {}) => add(newLoginToken(), account, 'login'),
    revoke: (secret: string) => void callers.delete(sha256(secret).toString('hex')),
  };
}
