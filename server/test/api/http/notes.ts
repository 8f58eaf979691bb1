import { endpoint } from '@quittance/contract';
import { Type } from '@sinclair/typebox';
import type { Caller } from '../../../src/platform/caller.ts';
import type { Database, Transaction } from '../../../src/platform/db/db.ts';
import { fail } from '../../../src/platform/errors.ts';
import { Pace } from '../../../src/platform/http/admission/pace.ts';
import { EventStream } from '../../../src/platform/http/event-stream.ts';
import { listPage } from '../../../src/platform/http/pagination.ts';
import { type Route, route } from '../../../src/platform/http/route.ts';
import { newId } from '../../../src/platform/ids.ts';
import type { Secrets } from '../../../src/platform/secrets.ts';

/** Hooks of a test inside handlers. */
export interface Hooks {
  inside?: () => Promise<void>;
}

interface Note {
  id: string;
  text: string;
  createdAt: Date;
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

export interface Parts {
  db: Database;
  secrets: Secrets;
  hooks: Hooks;
}

type Creation = {
  caller: Caller | null;
  body?: unknown;
  db: Database | Transaction;
};

/** Operations that write and read notes. */
export function noteRoutes({ db, secrets, hooks }: Parts): Route<object>[] {
  const create = async (call: Creation, text: string) => {
    const id = newId('tr');
    await call.db.query(
      'insert_note',
      'insert into notes (id, account_id, livemode, text, created_at) values ($1, $2, $3, $4, clock_timestamp())',
      [id, call.caller?.id ?? 'anonymous', call.caller?.livemode ?? true, text],
    );
    await hooks.inside?.();
    return { id, text, mood: null, undeclared: 'never shown' };
  };

  return [
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
    route(publicNote, async (_ctx, call) => create(call, 'opened')),
    listRoute({ db, secrets }),
  ];
}

function listRoute({ db, secrets }: Pick<Parts, 'db' | 'secrets'>): Route<object> {
  return route(listNotes, async (_ctx, call) =>
    listPage(
      call,
      { secrets, pace: new Pace(), caches: { rowBytes: new Map() } },
      {
        list: 'notes',
        prefix: 'tr',
        filter: { text: call.query.text },
        async find(id) {
          const [row] = await db.query<Note>(
            'find_position',
            'select id, created_at from notes where id = $1 and account_id = $2 and livemode = $3',
            [id, call.caller.id, call.caller.livemode],
          );
          return row && { id: row.id, createdAt: row.createdAt };
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
        position: (row) => ({ id: row.id, createdAt: row.createdAt }),
        present: (row) => ({ id: row.id, text: row.text, mood: null }),
      },
    ),
  );
}

/** Operations for one rule of the door each. */
export function otherRoutes({ db, hooks }: Pick<Parts, 'db' | 'hooks'>): Route<object>[] {
  return [
    route(loginOnly, async (_ctx, call) => ({
      id: call.caller.id,
      text: call.caller.via,
      mood: call.caller.livemode ? 'live' : 'test',
    })),
    route(testOnly, async () => ({ id: 'x', text: 'test', mood: null })),
    route(stream, async (_ctx, call) => {
      await hooks.inside?.();
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
}
