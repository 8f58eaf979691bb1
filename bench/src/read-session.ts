import { figure, type Figure } from './figures.ts';
import { floorOf } from './floor.ts';
import type { Bench } from './bench.ts';
import { call } from './merchant.ts';
import { putUnderLoad, start, stop } from './processes.ts';
import { seed, seededId } from './seed.ts';

const CONNECTIONS = 32;
const SESSIONS = 1_000;

/** Reading a session by its id, compared with the database alone, and with node:http that returns the same bytes. */
export async function readSession({
  database,
  service,
  seconds,
  say,
}: Bench): Promise<{ read_session: Figure; read_session_http: Figure }> {
  await seed(database, service.accountId, SESSIONS);
  const paths = Array.from({ length: SESSIONS }, (_, at) => `/v1/checkout/sessions/${seededId('cs', at + 1)}`);
  const sample = await call(service, 'GET', paths[0] as string);

  const load = (port: number) =>
    putUnderLoad({
      host: '127.0.0.1',
      port,
      connections: CONNECTIONS,
      seconds,
      warmUpSeconds: 2,
      expectStatus: 200,
      request: { method: 'GET', paths, headers: { authorization: `Bearer ${service.key}` } },
    });
  const floor = () =>
    floorOf({
      url: database.url,
      clients: CONNECTIONS,
      seconds,
      sql: `\\set n random(1, ${SESSIONS})
select s.*, p.status, p.started_at from checkout_sessions s join payments p on p.session_id = s.id
 where s.id = 'cs_' || lpad(:n::text, 24, '0');`,
    });

  const before = await floor();
  const ours = await load(service.port);
  const after = await floor();
  const bare = await start<{ port: number }>('./bare-http.ts', {
    ANSWER: JSON.stringify({ body: sample.text, headers: bareHeaders(sample.headers) }),
  });
  const http = await load(bare.first.port).finally(() => stop(bare.child));

  const result = figure(ours.perSecond, (before.perSecond + after.perSecond) / 2);
  const overHttp = figure(ours.perSecond, http.perSecond);
  say(
    `read_session     ${result.ours}/s, p50 ${ours.p50Ms.toFixed(1)} ms, p99 ${ours.p99Ms.toFixed(1)} ms, ${CONNECTIONS} connections`,
  );
  say(`                 floor ${result.floor}/s (${before.by}: the same look-up), ratio ${result.ratio}`);
  say(`                 floor ${overHttp.floor}/s (node:http with the same bytes), ratio ${overHttp.ratio}`);
  return { read_session: result, read_session_http: overHttp };
}

function bareHeaders(headers: Record<string, string>): Record<string, string> {
  const {
    connection: _connection,
    'keep-alive': _keepAlive,
    date: _date,
    'transfer-encoding': _encoding,
    ...rest
  } = headers;
  return rest;
}
