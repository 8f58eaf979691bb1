import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Ground, startGround } from './ground.ts';

let ground: Ground;
let key: string;
const accountId = newId('acc');
let ids: string[];

beforeAll(async () => {
  ground = await startGround();
  key = ground.key({ id: accountId });
  const rows = Array.from({ length: 55 }, (_, index) => ({
    id: newId('tr'),
    minute: Math.floor(index / 7),
    text: index % 2 ? 'red' : 'blue',
  }));
  for (const row of rows) {
    await ground.db.query(
      'add_note',
      `insert into notes values ($1, $2, true, $3, timestamptz '2026-01-01' + $4::integer * interval '1 minute')`,
      [row.id, accountId, row.text, row.minute],
    );
  }
  ids = rows.toSorted((a, b) => b.minute - a.minute || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
});
afterAll(() => ground.stop());

const list = (query: string, as = key) => ground.call('GET', `/v1/notes?${query}`, { as });

test('walking the pages meets every object once, newest first', async () => {
  for (const name of ['cursor', 'starting_after']) {
    const seen: string[] = [];
    let answer = await list('');
    expect(answer.json.data).toHaveLength(25);
    while (true) {
      seen.push(...answer.json.data.map(({ id }: { id: string }) => id));
      const { cursor, has_more: hasMore } = answer.json.pagination;
      expect(cursor === null).toBe(!hasMore);
      if (!hasMore) break;
      expect(cursor).toMatch(/^cur_[\w-]+$/);
      answer = await list(`${name}=${cursor}`);
    }
    expect(seen).toEqual(ids);
  }
});

test('a last page that is exactly full says that it is the last', async () => {
  expect((await list('limit=55')).json.pagination).toEqual({ cursor: null, has_more: false });
  expect((await list('limit=54')).json.pagination).toMatchObject({ has_more: true });
});

test("an object's id is a cursor too", async () => {
  expect((await list(`starting_after=${ids[10]}&limit=3`)).json.data.map(({ id }: { id: string }) => id)).toEqual(
    ids.slice(11, 14),
  );
  expect((await list(`cursor=${ids[54]}`)).json.data).toEqual([]);
});

test('both names at once must agree', async () => {
  expect((await list(`cursor=${ids[0]}&starting_after=${ids[0]}&limit=1`)).json.data[0].id).toBe(ids[1]);
  const answer = await list(`cursor=${ids[0]}&starting_after=${ids[1]}`);
  expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([
    400,
    'invalid_list_request',
    'starting_after',
  ]);
});

test('a cursor is of one account, mode and filter, and cannot be made', async () => {
  const { cursor } = (await list('limit=2')).json.pagination;
  const filtered = (await list('limit=2&text=red')).json.pagination.cursor;
  const changed = cursor.slice(0, -3) + (cursor.endsWith('AAA') ? 'BBB' : 'AAA');

  const answers = await Promise.all([
    list(`cursor=${cursor}&text=red`),
    list(`cursor=${filtered}`),
    list(`cursor=${changed}`),
    list('cursor=cur_abc'),
    list('cursor=cur_'),
    list('cursor='),
    list(`cursor=${cursor}`, ground.key()),
    list(`cursor=${cursor}`, ground.key({ id: accountId, livemode: false })),
    list(`cursor=${newId('tr')}`),
    list(`cursor=${newId('pay')}`),
    list('cursor=nonsense'),
    list(`cursor=${ids[0]}`, ground.key()),
  ]);
  for (const { status, json } of answers)
    expect([status, json.error?.code, json.error?.param]).toEqual([400, 'invalid_list_request', 'cursor']);
  expect((await list(`cursor=${filtered}&text=red&limit=100`)).status).toBe(200);
});
