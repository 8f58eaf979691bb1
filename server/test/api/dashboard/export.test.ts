import { expect, test } from 'vitest';
import { csvLine } from '../../../src/resources/dashboard/export.ts';
import { fillPayments } from '../../support/fill.ts';
import { startApp } from '../../support/index.ts';

const PAYMENTS = 2_500;

test('an export of several pages holds every payment once, newest first', async () => {
  await using app = await startApp();
  const { merchant } = app;
  const session = await merchant.createSession();
  await fillPayments(app.ctx.db, session.id, {
    numbers: `generate_series(1, ${PAYMENTS}) n`,
    createdAt: `timestamptz '2026-01-01' + (n / 3) * interval '1 second'`,
    route: `case when right(id, 1) = '7' then 'routed' else 'direct' end`,
  });

  const { raw } = await app.inject('GET', '/dashboard/api/payments.csv?mode=test', {
    headers: { cookie: `session=${merchant.loginToken}` },
  });

  const ids = raw
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0] ?? '');
  expect(ids).toEqual(Array.from({ length: PAYMENTS }, (_, at) => `pay_${String(PAYMENTS - at).padStart(24, '0')}`));
});

test.each([
  ['mode=test&status=bogus', 'status', /must be one of `created`/],
  ['mode=test&route=bogus', 'route', /must be one of/],
  ['mode=both', 'mode', /must be one of `live`, `test`/],
  ['', 'mode', /is required/],
  ['mode=live&mode=test', 'mode', /more than once/],
  ['mode=test&created_after=2026-01-01&created_after=2026-02-01', 'created_after', /more than once/],
  ['mode=test&created_after=yesterday', 'created_after', /must be an ISO 8601 date/],
  ['mode=test&created_before=0000-01-01', 'created_before', /must be/],
  ['mode=test&created_before=2026-02-31', 'created_before', /must be/],
  ['mode=test&bom=yes', 'bom', /must be true or false, not `yes`/],
  ['mode=test&status=a%00b', 'status', /NUL/],
])('an export of %j is refused by the name of its parameter', async (query, param, message) => {
  await using app = await startApp();
  const answer = await app.inject('GET', `/dashboard/api/payments.csv?${query}`, {
    headers: { cookie: `session=${app.merchant.loginToken}` },
  });
  expect([answer.status, answer.body.error]).toEqual([
    400,
    { code: 'invalid_list_request', param, message: expect.stringMatching(message) },
  ]);
  expect(answer.body.error.message).not.toMatch(/limit|cursor/);
});

const TEXTS = [
  '',
  'plain',
  'a "quoted" word',
  'one, two; three',
  'line\nbreak\r\nand tab\t',
  '=HYPERLINK("x")',
  '-1',
  ' @formula',
  'Zoë 日本語 العربية 🍞',
  '\u2028\u00a0\u007f',
  "it's",
  '\\ back \\n slash',
  'x'.repeat(500),
];

test('an export has the bytes of a plain rendering of the same payments, whatever their texts are', async () => {
  await using app = await startApp();
  const { merchant } = app;
  for (const [at, text] of TEXTS.entries()) {
    const { id } = await merchant.createSession();
    // Stored directly: the API refuses some of them, but older rows may have them.
    await app.ctx.db.query(
      'test_fill_texts',
      'update checkout_sessions set customer = $2, order_id = $3, metadata = $4 where id = $1',
      [
        id,
        at % 3 === 0 ? null : { reference: text, email: null, name: text },
        text === '' ? null : text,
        { [`key ${at}`]: text, 'a "key"': 'value' },
      ],
    );
    await app.ctx.db.query('test_start', 'update payments set started_at = created_at where session_id = $1', [id]);
  }
  const listed = await app.inject('GET', '/v1/payments', { token: merchant.testKey, query: { limit: 100 } });
  expect(listed.body.data).toHaveLength(TEXTS.length);

  const answer = await app.server.inject({
    url: '/dashboard/api/payments.csv?mode=test&bom=true',
    headers: { cookie: `session=${merchant.loginToken}` },
  });
  const [head = ''] = answer.body.split('\r\n', 1);
  const columns = head.replace('\uFEFF', '').split(',');
  const cellOf = (payment: Record<string, any>, column: string): string | null => {
    if (column === 'metadata') return JSON.stringify(payment.metadata);
    if (column.startsWith('customer_')) return payment.customer?.[column.slice('customer_'.length)] ?? null;
    const sources: Record<string, string> = { gross: 'amount', net: 'net_settlement' };
    if (['paid_at', 'refund_amount', 'refund_address', 'refund_reason', 'refunded_at'].includes(column)) return null;
    // Nothing is settled yet.
    if (column === 'service_fee' || column === 'net') return null;
    const value = payment[sources[column] ?? column];
    return Array.isArray(value) ? value.join(' ') : value;
  };
  const plain = listed.body.data.map((payment: Record<string, any>) =>
    csvLine(columns.map((column) => cellOf(payment, column))),
  );
  expect(answer.rawPayload.equals(Buffer.from(`${head}\r\n${plain.join('')}`))).toBe(true);
});
