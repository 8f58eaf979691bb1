import type { AddressInfo } from 'node:net';
import { endpoint } from '@quittance/contract';
import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import type { Caller } from '../../../src/platform/caller.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import { fail } from '../../../src/platform/errors.ts';
import type { CredentialStore } from '../../../src/platform/http/admission/authenticate.ts';
import { newLoginToken, newSecretKey } from '../../../src/platform/http/admission/credentials.ts';
import { EventStream } from '../../../src/platform/http/event-stream.ts';
import { listPage } from '../../../src/platform/http/pagination.ts';
import { createLimiter } from '../../../src/platform/http/admission/rate-limit.ts';
import { type Route, route } from '../../../src/platform/http/route.ts';
import { createServer, type ServerOptions } from '../../../src/platform/http/server/server.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createSecrets, sha256 } from '../../../src/platform/secrets.ts';
import { createTestDatabase } from '../../support/database.ts';

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

/** Hooks of a test inside handlers. */
interface Hooks {
  inside?: () => Promise<void>;
}

interface Note {
  id: string;
  text: string;
  created_at: Date;
}

const NoteShape = Type.Object({
  id: Type.String(),
  text: Type.String(),
  mood: Type.Union([Type.String(), Type.Null()]),
});
const params = Type.Object({ id: Type.String({ idPrefix: 'tr' }) });
const tag = 'Notes';
const success = { status: 200, data: NoteShape, envelope: 'object', description: 'A note.' } as const;

const createBody = Type.Object({
  text: Type.String({ minLength: 1, maxLength: 20 }),
  mood: Type.Optional(Type.Union([Type.Literal('good'), Type.Literal('bad')])),
  lines: Type.Optional(Type.Array(Type.Object({ count: Type.Integer({ minimum: 1 }) }), { maxItems: 3 })),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 5 }))),
  limit: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const common = { tag, summary: '', invalid: 'invalid_checkout_session', auth: 'credential' } as const;

const createNote = endpoint({
  ...common,
  operationId: 'createNote',
  method: 'POST',
  path: '/v1/notes',
  body: createBody,
  success: { ...success, status: 201 },
  idempotent: true,
});
const createOwn = endpoint({
  ...common,
  operationId: 'createPrepared',
  method: 'POST',
  path: '/v1/prepared',
  body: createBody,
  success: { ...success, status: 201 },
  idempotent: true,
});
const createSecret = endpoint({
  ...common,
  operationId: 'createSecret',
  method: 'POST',
  path: '/v1/secrets',
  success: { ...success, status: 201 },
  idempotent: true,
});
const touchNote = endpoint({
  ...common,
  operationId: 'touchNote',
  method: 'POST',
  path: '/v1/notes/{id}/touch',
  params,
  success,
  idempotent: true,
});
const getNote = endpoint({ ...common, operationId: 'getNote', method: 'GET', path: '/v1/notes/{id}', params, success });
const listNotes = endpoint({
  ...common,
  operationId: 'listNotes',
  method: 'GET',
  path: '/v1/notes',
  invalid: 'invalid_list_request',
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    cursor: Type.Optional(Type.String()),
    starting_after: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    flag: Type.Optional(Type.Boolean()),
  }),
  success: { ...success, envelope: 'list' },
});
const loginOnly = endpoint({
  ...common,
  operationId: 'loginOnly',
  method: 'POST',
  path: '/v1/login-only',
  auth: 'login',
  success,
});
const testOnly = endpoint({
  ...common,
  operationId: 'testOnly',
  method: 'GET',
  path: '/v1/test-only',
  testModeOnly: true,
  success,
});
const publicNote = endpoint({
  ...common,
  operationId: 'publicNote',
  method: 'POST',
  path: '/v1/public/notes/{id}/open',
  auth: 'none',
  params,
  success: { ...success, status: 201 },
  idempotent: true,
});
const stream = endpoint({
  ...common,
  operationId: 'stream',
  method: 'GET',
  path: '/v1/public/stream',
  auth: 'none',
  success: { ...success, envelope: 'bare', data: Type.String() },
});
const broken = endpoint({
  ...common,
  operationId: 'broken',
  method: 'GET',
  path: '/v1/broken/{how}',
  auth: 'none',
  params: Type.Object({ how: Type.String() }),
  success,
});

/** More than the operating system's buffers. */
const LARGE_PAGE = Buffer.alloc(32 * 1024 * 1024);

/** A small service with the real HTTP server: notes, with one operation per promise. */
export async function startGround(
  overrides: Partial<ServerOptions<object>> & { requestsPerSecond?: number; redisUrl?: string } = {},
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
    redisUrl: overrides.redisUrl ?? null,
    log,
  });
  const hooks: Hooks = {};
  const { store, ...credentials } = makeCredentials(db);

  const create = async (
    call: {
      caller: Caller | null;
      body?: unknown;
      db: Database | import('../../../src/platform/db/db.ts').Transaction;
    },
    text: string,
  ) => {
    const id = newId('tr');
    await call.db.query(
      'insert_note',
      'insert into notes (id, account_id, livemode, text, created_at) values ($1, $2, $3, $4, clock_timestamp())',
      [id, call.caller?.id ?? 'nobody', call.caller?.livemode ?? true, text],
    );
    await hooks.inside?.();
    return { id, text, mood: null, undeclared: 'never shown' };
  };

  const routes: Route<object>[] = [
    route(createNote, async (_ctx, call) => create(call, call.body.text)),
    route(createOwn, async (_ctx, call, prepared: string) => create(call, prepared), {
      prepare: async (_ctx, call) => {
        await hooks.inside?.();
        return `prepared ${call.body.text}`;
      },
    }),
    route(createSecret, async (_ctx, call) => create(call, 'whsec_secret'), { secretAnswer: true }),
    route(touchNote, async (_ctx, call) => ({ id: call.params.id, text: 'touched', mood: null })),
    route(getNote, async (_ctx, call) => {
      const [row] = await call.db.query<Note>(
        'find_note',
        'select * from notes where id = $1 and account_id = $2 and livemode = $3',
        [call.params.id, call.caller.id, call.caller.livemode],
      );
      return row ? { id: row.id, text: row.text, mood: null } : fail('not_found', { param: 'id', message: 'anything' });
    }),
    route(listNotes, async (_ctx, call) =>
      listPage(call, secrets, {
        list: 'notes',
        prefix: 'tr',
        filter: { text: call.query.text },
        async find(id) {
          const [row] = await db.query<Note>(
            'find_position',
            'select id, created_at from notes where id = $1 and account_id = $2 and livemode = $3',
            [id, call.caller.id, call.caller.livemode],
          );
          return row && { id: row.id, createdAt: row.created_at };
        },
        fetch: ({ after, limit }) =>
          db.query<Note>(
            'list_notes',
            `
        select * from notes where account_id = $1 and livemode = $2 and ($3::text is null or text = $3)
           and ($4::timestamptz is null or (created_at, id) < ($4, $5))
         order by created_at desc, id desc limit $6`,
            [
              call.caller.id,
              call.caller.livemode,
              call.query.text ?? null,
              after?.createdAt ?? null,
              after?.id ?? null,
              limit,
            ],
          ),
        position: (row) => ({ id: row.id, createdAt: row.created_at }),
        present: (row) => ({ id: row.id, text: row.text, mood: null }),
      }),
    ),
    route(loginOnly, async (_ctx, call) => ({
      id: call.caller.id,
      text: call.caller.via,
      mood: call.caller.livemode ? 'live' : 'test',
    })),
    route(testOnly, async () => ({ id: 'x', text: 'test', mood: null })),
    route(publicNote, async (_ctx, call) => create(call, 'opened')),
    route(stream, async (_ctx, call) => {
      const events = new EventStream(call.http.reply);
      events.send({ id: '1', event: 'note', data: { hello: 'world' } });
      return events;
    }),
    route(broken, async (_ctx, call) => {
      await hooks.inside?.();
      if (call.params.how === 'bug') throw new Error('a secret detail');
      await db.query('broken', `select ${call.params.how === 'sleep' ? 'pg_sleep(60)' : '1'}`);
      return fail('service_unavailable');
    }),
  ];

  const server = createServer<object>({
    ctx: {},
    routes,
    credentials: store,
    limiter,
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
    async call(method, path, { as, body, text, headers } = {}) {
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
    },
    async stop() {
      await server.close();
      await limiter.close();
      await test.drop();
    },
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
