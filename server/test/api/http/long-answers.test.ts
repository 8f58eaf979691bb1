import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as dashboard from '@quittance/contract/dashboard';
import { Pace } from '../../../src/platform/http/admission/pace.ts';
import { csvLine, Exports } from '../../../src/resources/dashboard/export.ts';
import { movementsFile } from '../../../src/resources/dashboard/movements.ts';
import { copyRow, fillPayments } from '../../support/fill.ts';
import { startApp, type TestApp } from '../../support/index.ts';

const MAX_PAGE_BYTES = 256 * 1024;
/** The largest that a merchant can store: 27 kB. */
const METADATA = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => [`${'k'.repeat(38)}${String(at).padStart(2, '0')}`, 'v'.repeat(500)]),
);
const PAYMENTS = 150;
/** Each fourth payment is small, so that pages are not all alike. */
const isSmall = (number: number) => number % 4 === 0;
const TRANSFERS = 24;
type Owner = Parameters<Exports['csv']>[0];
/** The exports, as their pages open them. */
const EXPORTS: Record<string, (exports: Exports, owner: Owner) => Readable> = {
  '/dashboard/api/payments.csv': (exports, owner) => exports.csv(owner, {}),
  '/dashboard/api/movements.csv': (exports, owner) => exports.stream(owner, movementsFile(app.ctx, owner, {})),
};
let app: TestApp;
let ids: string[];

beforeAll(async () => {
  app = await startApp({ listen: true });
  const { merchant } = app;
  const session = await merchant.createSession();
  await fillPayments(app.ctx.db, session.id, {
    numbers: `generate_series(1, ${PAYMENTS}) n`,
    createdAt: `timestamptz '2026-01-01' + (n / 3) * interval '1 second'`,
    orderId: `'order-7'`,
    metadata: `case when n % 4 = 0 then '{}' else $2::jsonb end`,
    values: [METADATA],
  });
  await app.ctx.db.query(
    'test_fill_events',
    `
    insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
    select 'evt_' || lpad(n::text, 24, '0'), $1, false, 'pay_' || lpad(n::text, 24, '0'), 3, 'payment.paid',
           convert_to(jsonb_set(jsonb_set(convert_from(body, 'UTF8')::jsonb, '{id}',
             to_jsonb('evt_' || lpad(n::text, 24, '0'))), '{data,metadata}', $3::jsonb)::text, 'UTF8'),
           timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second'
      from events, generate_series(1, $2::integer) n where account_id = $1`,
    [merchant.accountId, PAYMENTS, METADATA],
  );
  // At the address of both, and of no payment.
  const other = await app.newMerchant();
  await other.pay((await other.createSession()).id);
  const transfer = {
    prefix: 'tr',
    at: 'block_time',
    large: { handled_note: 'v'.repeat(27_000) },
    unique: `'index', n, 'payment_id', null, 'near_payment_id', null, 'status', 'final'`,
  };
  await copyRow(app.ctx.db, 'transfers', transfer, TRANSFERS);
  ids = Array.from({ length: PAYMENTS }, (_, at) => `pay_${String(PAYMENTS - at).padStart(24, '0')}`);
});
afterAll(() => app.stop());

test('a long page rests between its parts, on behalf of its account', async () => {
  const rest = vi.spyOn(app.ctx.pace, 'rest');
  await app.inject('GET', '/v1/payments?limit=100', { token: app.merchant.testKey });
  expect(new Set(rest.mock.calls.flat())).toEqual(new Set([app.merchant.accountId]));
  rest.mockRestore();
});

test('a search shows as many payments as fit into a page', async () => {
  const { body, raw } = await app.inject('GET', '/dashboard/api/search?q=order-7', {
    headers: { authorization: `Bearer ${app.merchant.loginToken}`, 'service-mode': 'test' },
  });
  expect(raw.length).toBeLessThan(MAX_PAGE_BYTES + 20_000);
  expect(body.data.payments.length).toBeGreaterThan(7);
});

test('an export of large payments is complete', async () => {
  const { raw } = await exportOf(app);
  const lines = raw.trimEnd().split('\r\n').slice(1);
  expect(lines.map((line) => line.split(',')[0])).toEqual(ids);
  const metadata = JSON.stringify(METADATA).replaceAll('"', '""');
  expect(lines.filter((line) => line.includes(metadata))).toHaveLength(
    ids.filter((_, at) => !isSmall(PAYMENTS - at)).length,
  );
});

test('an export of large movements has the bytes of a plain rendering of the same transfers, read by pages', async () => {
  const rows: Record<string, string>[] = [];
  for (let cursor: string | undefined; ; ) {
    const { body } = await app.inject('GET', '/v1/transfers', { token: app.merchant.testKey, query: { cursor } });
    rows.push(...body.data);
    cursor = body.pagination.cursor ?? undefined;
    if (cursor === undefined) break;
  }
  expect(rows).toHaveLength(TRANSFERS);
  const { raw } = await exportOf(app, '/dashboard/api/movements.csv');
  const [head = ''] = raw.split('\r\n', 1);
  const plain = rows.map((row) => {
    const { block_time: date, amount: figure = '', asset: coin, network, tx_hash: transaction, from, to } = row;
    const note = row.handled_note ?? row.reason;
    const cells: Record<string, unknown> = { kind: 'unattributed', coin_amount: { figure }, note };
    Object.assign(cells, { date: new Date(date ?? '').toISOString(), coin, network, transaction, from, to });
    return csvLine(head.split(',').map((column) => (cells[column] ?? null) as string | null));
  });
  expect(raw === `${head}\r\n${plain.join('')}`).toBe(true);
});

test('every export of the dashboard is among those that are opened at once', () => {
  const files = Object.values(dashboard).flatMap((one) => (typeof one === 'object' && 'path' in one ? one.path : []));
  expect(files.filter((path) => path.endsWith('.csv')).toSorted()).toEqual(Object.keys(EXPORTS).toSorted());
});

test('an account has one export at a time, a process four, and one that ends or is left makes room', async () => {
  const others = [];
  for (let number = 0; number < 4; number += 1) others.push(await app.newMerchant());
  const first = await unreadExport(app.merchant.loginToken);
  for (const path of Object.keys(EXPORTS)) {
    const second = await exportOf(app, path);
    expect(second.status).toBe(429);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
    expect(second.headers['content-disposition']).toBeUndefined();
    // Those without payments end at once.
    for (const other of others) expect((await exportOf(app, path, other.loginToken)).status).toBe(200);
  }

  first.socket.destroy();
  await first.isOver;
  // Long answers of an account have a rate, so this takes seconds.
  await expect.poll(async () => (await exportOf(app)).status, { timeout: 30_000 }).toBe(200);
});

const ownerOf = (id: string) => ({ id, livemode: false, now: new Date(), realNow: new Date() });

test('a process has four exports at a time, whichever accounts they are of and whatever is in them', async () => {
  const exports = new Exports(app.ctx);
  const [payments, movements] = Object.values(EXPORTS) as [(typeof EXPORTS)[string], (typeof EXPORTS)[string]];
  const account = (number: number) => ownerOf(`acc_${number}`);
  const running = [payments, movements, payments, movements].map((open, number) => open(exports, account(number)));
  for (const open of [payments, movements]) {
    expect(() => open(exports, account(4))).toThrow(
      expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 10 }),
    );
  }
  const [first] = running;
  const closed = once(first as NodeJS.EventEmitter, 'close');
  first?.destroy();
  await closed;
  // The account has another one.
  expect(() => payments(exports, account(1))).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  running.push(movements(exports, account(4)));
  for (const stream of running) stream.destroy();
});

test.each(Object.entries(EXPORTS))('%s whose part is not read in time ends, and makes room', async (_path, open) => {
  // The rate has its own tests.
  const exports = new Exports({ ...app.ctx, pace: new Pace({ burstBytes: 1e12 }) }, 50);
  const account = ownerOf(app.merchant.accountId);
  const unread = open(exports, account);
  const failed = once(unread, 'error');
  // The head is read, and nothing takes the part behind it.
  const readable = once(unread, 'readable');
  unread.read(0);
  await readable;
  unread.read();
  expect(await failed).toEqual([expect.objectContaining({ message: 'export not read' })]);
  let bytes = 0;
  for await (const part of open(exports, account)) bytes += part.length;
  expect(bytes).toBeGreaterThan(MAX_PAGE_BYTES);
});

test('a stream of events that resumes long ago sends large events as fast as they are read', async () => {
  const first = `evt_${'1'.padStart(24, '0')}`;
  const response = await fetch(`${app.url}/v1/events/stream`, {
    headers: { authorization: `Bearer ${app.merchant.testKey}`, 'last-event-id': first },
  });
  const seen = new Set<string>();
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (const [, id] of text.matchAll(/^id: (evt_\w+)$/gm)) seen.add(id as string);
    text = text.slice(-100);
    if (seen.size >= PAYMENTS) break;
  }
  expect(seen.size).toBeGreaterThanOrEqual(PAYMENTS);
});

/** An export whose client does not read; resolves once the service has begun to answer. */
async function unreadExport(token: string) {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  const answering = new Promise<{ closed: Promise<unknown> }>((resolve) => {
    app.server.server.once('request', (_request, response) => resolve({ closed: once(response, 'close') }));
  });
  socket.write(
    `GET /dashboard/api/payments.csv?mode=test HTTP/1.1\r\nhost: localhost\r\ncookie: session=${token}\r\n\r\n`,
  );
  const { closed } = await answering;
  await once(socket, 'readable');
  return { socket, isOver: closed };
}

function exportOf({ inject, merchant }: TestApp, path = '/dashboard/api/payments.csv', token = merchant.loginToken) {
  return inject('GET', `${path}?mode=test`, { headers: { cookie: `session=${token}` } });
}
