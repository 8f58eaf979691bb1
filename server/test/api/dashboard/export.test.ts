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

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

test('the file for bookkeeping has a signed line for all that moved, in the period in which it moved', async () => {
  await using app = await startApp();
  const { merchant } = app;
  const as = { headers: { cookie: `session=${merchant.loginToken}`, 'sec-fetch-site': 'same-origin' } };
  const pay = async (outcome: string, fields: object) => {
    const { payment } = await merchant.pay((await merchant.createSession(fields)).id, outcome);
    return merchant.get(`/payments/${payment}`);
  };
  const sale = {
    amount: '98.00',
    order_id: 'A-7',
    description: 'Moss wall',
    customer: { name: 'Kim Reyes' },
    metadata: { customer_note: 'A gift' },
  };
  const over = await pay('overpaid', sale);
  const short = await pay('refund_required', { amount: '10.00', currency: 'EUR' });
  await merchant.createSession();
  await merchant.post(`/payments/${over.id}/refunds`, {
    to: CUSTOMER,
    amount: '9.50',
    reason: 'Too much',
    tx_hash: `0x${'12'.repeat(32)}`,
  });
  await merchant.post(`/payments/${over.id}/refunds`, { to: CUSTOMER, amount: '1.00' });
  const payout = (path: string, body: object) =>
    app.inject('POST', `/dashboard/api/payouts${path}`, { body, headers: { ...as.headers, 'service-mode': 'test' } });
  await payout('', { csv: `${CUSTOMER},USDC,base,12.5,Rent`, import: 'one' });
  const { body } = await app.inject('GET', '/dashboard/api/payouts', {
    headers: { ...as.headers, 'service-mode': 'test' },
  });
  await payout('/sent', { payouts: [body.data[0].id], tx_hash: `0x${'5c'.repeat(32)}` });

  const read = async (query = '') => {
    const { raw } = await app.inject('GET', `/dashboard/api/movements.csv?mode=test${query}`, as);
    const [head = '', ...lines] = raw.trimEnd().split('\r\n');
    const columns = head.split(',');
    return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [columns[at], cell])));
  };
  const lines = await read();
  expect(lines).toEqual([
    expect.objectContaining({
      kind: 'payment',
      payment: short.id,
      payment_status: 'refund_required',
      value: short.received_amount,
      currency: 'EUR',
      coin_amount: short.actual_output,
    }),
    expect.objectContaining({
      kind: 'payment',
      payment: over.id,
      payment_status: 'paid',
      value: over.received_amount,
      currency: 'USD',
      service_fee: '0.00',
      coin_amount: over.actual_output,
      coin: 'USDC',
      network: 'base',
      transaction: over.tx_hashes[0],
      to: over.receive_address,
      order_id: 'A-7',
      description: 'Moss wall',
      customer_name: 'Kim Reyes',
      note: 'A gift',
    }),
    expect.objectContaining({
      kind: 'refund',
      payment: over.id,
      value: '-9.50',
      currency: 'USD',
      coin_amount: '-9.500000',
      transaction: `0x${'12'.repeat(32)}`,
      to: CUSTOMER,
      order_id: 'A-7',
      note: 'Too much',
    }),
    expect.objectContaining({ kind: 'payout', value: '', currency: '', coin_amount: '-12.500000', note: 'Rent' }),
  ]);

  const [, { date: paidOn = '' } = {}, { date: returnedOn = '' } = {}] = lines;
  expect((await read(`&after=${returnedOn}`)).map(({ kind }) => kind)).toEqual(['refund', 'payout']);
  expect((await read(`&after=${paidOn}&before=${returnedOn}`)).at(-1)).toEqual(lines[1]);
  expect(await read(`&before=${paidOn}`)).toEqual([]);
});

test('the file for bookkeeping is refused by the name of a wrong parameter', async () => {
  await using app = await startApp();
  const headers = { cookie: `session=${app.merchant.loginToken}` };
  for (const [query, param] of [
    ['mode=both', 'mode'],
    ['mode=test&after=yesterday', 'after'],
    ['mode=test&before=2026-02-31', 'before'],
  ]) {
    const { status, body } = await app.inject('GET', `/dashboard/api/movements.csv?${query}`, { headers });
    expect([status, body.error]).toMatchObject([400, { code: 'invalid_list_request', param }]);
  }
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
/** So that they are neither one page nor one part of the file. */
const LARGE = 'v'.repeat(27_000);

test('an export has the bytes of a plain rendering of the same payments, whatever their texts and sizes are', async () => {
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
        { [`key ${at}`]: text, 'a "key"': at % 5 === 0 ? 'value' : LARGE },
      ],
    );
    await app.ctx.db.query('test_start', 'update payments set started_at = created_at where session_id = $1', [id]);
  }
  const listed: Record<string, any>[] = [];
  let pages = 0;
  for (let cursor: string | undefined; ; ) {
    const { data, pagination } = await merchant.get('/payments', { limit: 100, cursor });
    listed.push(...data);
    pages += 1;
    cursor = pagination.cursor ?? undefined;
    if (cursor === undefined) break;
  }
  expect([listed.length, pages]).toEqual([TEXTS.length, 2]);

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
  const plain = listed.map((payment) => csvLine(columns.map((column) => cellOf(payment, column))));
  expect(answer.rawPayload.equals(Buffer.from(`${head}\r\n${plain.join('')}`))).toBe(true);
});
