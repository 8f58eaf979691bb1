import { figure, type Figure } from './figures.ts';
import type { Bench } from './bench.ts';
import { putUnderLoad } from './processes.ts';
import { seed, seededId } from './seed.ts';

const CONNECTIONS = 4;
const PLACES = 500;
const SMALL = 10_000;
const LARGE = 1_000_000;

/** A page of payments anywhere in a list of a million, compared with a list of ten thousand. */
export async function listPage({ database, service, seconds, say }: Bench): Promise<{ list_page: Figure }> {
  const load = (rows: number) =>
    putUnderLoad({
      host: '127.0.0.1',
      port: service.port,
      connections: CONNECTIONS,
      seconds,
      warmUpSeconds: 1,
      expectStatus: 200,
      request: { method: 'GET', paths: pagesOf(rows), headers: { authorization: `Bearer ${service.key}` } },
    });

  await seed(database, service.accountId, SMALL);
  const small = await load(SMALL);
  say(`list_page        filling up to ${LARGE} payments …`);
  await seed(database, service.accountId, LARGE);
  const large = await load(LARGE);

  const result = figure(large.perSecond, small.perSecond);
  say(
    `list_page        ${result.ours}/s, p50 ${large.p50Ms.toFixed(1)} ms, p99 ${large.p99Ms.toFixed(1)} ` +
      `ms, ${CONNECTIONS} connections, ${LARGE} payments`,
  );
  say(
    `                 floor ${result.floor}/s, p50 ${small.p50Ms.toFixed(1)} ms (${SMALL} payments), ratio ${result.ratio}`,
  );
  return { list_page: result };
}

/** From the newest page to the oldest, with and without filters. */
function pagesOf(rows: number): string[] {
  return Array.from({ length: PLACES }, (_, at) => {
    const start = seededId('pay', Math.max(30, Math.floor((rows * (at + 1)) / PLACES)));
    const filter = ['', '&status=refund_required', '&route=routed', '&status=failed', '&status=paid&route=direct'][
      at % 5
    ];
    return `/v1/payments?starting_after=${start}${filter}`;
  });
}
