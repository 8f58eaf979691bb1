import pg from 'pg';
import { Pool } from 'undici';
import { endWithBench } from './ends.ts';

export interface DurableSending {
  url: string;
  port: number;
  connections: number;
}

interface Due {
  id: string;
  body: Buffer;
}

const BATCH = 512;

// The least that durable sending costs: what is due is selected in batches, undici sends it, and each batch is recorded
// by one update. The next batch is selected and the last one recorded while this one is sent.
endWithBench();
const { url, port, connections } = JSON.parse(process.env.SENDING ?? '') as DurableSending;
const database = new pg.Pool({ connectionString: url, max: 2 });
const receiver = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });

const startedAt = performance.now();
let sent = 0;
let recorded: Promise<unknown> = Promise.resolve();
for (let due = await selectAfter(''); due.length > 0; ) {
  const next = selectAfter(due.at(-1)?.id ?? '');
  const queue = [...due];
  await Promise.all(Array.from({ length: connections }, () => sendAll(queue)));
  sent += due.length;
  await recorded;
  recorded = record(due);
  due = await next;
}
await recorded;
process.send?.({ perSecond: (sent * 1_000) / (performance.now() - startedAt) });
await Promise.all([receiver.destroy(), database.end()]);

async function selectAfter(id: string): Promise<Due[]> {
  const { rows } = await database.query<Due>({
    name: 'due',
    text: `
      select due.id, event.body
        from (select * from bench_due where state = 'pending' and id > $1 order by id limit ${BATCH}) due
        join events event on event.id = due.event_id and event.recorded_at = due.event_recorded_at`,
    values: [id],
  });
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function sendAll(queue: Due[]): Promise<void> {
  for (let due = queue.pop(); due; due = queue.pop()) {
    const answer = await receiver.request({
      method: 'POST',
      path: '/durable',
      headers: { 'content-type': 'application/json' },
      body: due.body,
    });
    await answer.body.dump();
  }
}

function record(due: readonly Due[]): Promise<unknown> {
  return database.query({
    name: 'recorded',
    text: `update bench_due set state = 'delivered', finished_at = now() where id = any ($1::text[])`,
    values: [due.map(({ id }) => id)],
  });
}
