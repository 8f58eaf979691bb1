import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_PAYOUT_LINES } from '@quittance/contract';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { MAX_OPEN_PAYOUTS, PLANNED_DAYS } from '../../../src/resources/payouts/payout.ts';
import { deleteUnsentPayouts } from '../../../src/resources/payouts/store.ts';
import { payoutsJob } from '../../../src/resources/payouts/verify.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

type Data = any;

const TO = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const OWN_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const USDC_OF_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const HASH = `0x${'5c'.repeat(32)}`;

let app: TestApp;
let merchant: Merchant;
let imports = 0;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const ask = async (method: 'GET' | 'POST', path: string, body?: object, { of = merchant, mode = 'test' } = {}) =>
  (
    await app.inject(method, `/dashboard/api/payouts${path}`, {
      headers: { cookie: `session=${of.loginToken}`, 'service-mode': mode, 'sec-fetch-site': 'same-origin' },
      ...(body && { body }),
    })
  ).body;
const check = async (csv: string) => (await ask('POST', '/check', { csv })).data;
const plan = async (csv: string, name = `import-${++imports}`) => ask('POST', '', { csv, import: name });
const list = async (query = ''): Promise<Data[]> => (await ask('GET', `?limit=100${query}`)).data;
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => `${TO},USDC,base,${at + 1},row ${at}`).join('\n');

describe('a CSV of payouts', () => {
  beforeAll(async () => {
    merchant = await app.newMerchant();
    await merchant.createWallet();
  });

  test('is shown line by line, with what is worth a second look, and imported whole', async () => {
    const csv = `Address;Asset;Network;Amount;Note\n${TO};usdc;Base;12.5;"Invoice ""7"";\tpart"\n\n${TO};USDC;base;12.50;\n`;
    expect(await check(csv)).toEqual({
      problems: [],
      lines: [
        {
          line: 2,
          to: TO,
          asset: 'USDC',
          network: 'base',
          amount: '12.500000',
          note: 'Invoice "7";\tpart',
          warnings: ['repeated'],
        },
        { line: 4, to: TO, asset: 'USDC', network: 'base', amount: '12.500000', note: null, warnings: ['repeated'] },
      ],
    });
    expect((await plan(csv)).data).toEqual({ imported: 2 });
    const planned = await list('&status=planned');
    expect(planned).toHaveLength(2);
    expect(planned.find(({ note }) => note !== null)).toMatchObject({
      status: 'planned',
      to: TO,
      amount: '12.500000',
      tx_hash: null,
      verified: false,
    });
    expect((await check(`${TO},USDC,base,12.5`)).lines[0].warnings).toEqual(['planned_already']);
  });

  test.each([
    ['base,USDC', 'fields'],
    [`${TO},USDC,base,1,note,more`, 'fields'],
    [`${TO},USDC,mars,1`, 'network'],
    [`${TO},USDT,base,1`, 'asset on Base'],
    [`${TO},DOGE,base,1`, 'asset on Base'],
    [`${TO.replace('8617E', '8617e')},USDC,base,1`, 'checksum'],
    ['0x00,USDC,base,1', 'Not a valid address'],
    [`${USDC_OF_BASE},USDC,base,1`, 'token contract'],
    [`${OWN_WALLET},USDC,base,1`, 'your own payout wallet'],
    [`${OWN_WALLET.toLowerCase()},USDC,base,1`, 'your own payout wallet'],
    [`${TO},USDC,base,0`, 'more than zero'],
    [`${TO},USDC,base,-1`, 'number'],
    [`${TO},USDC,base,1e6`, 'number'],
    [`${TO},USDC,base,0.0000001`, 'at most 6 decimals'],
    [`${TO},USDC,base,${'9'.repeat(31)}`, 'at most'],
    [`${TO},USDC,base,1,${'n'.repeat(201)}`, '200 characters'],
    [`${TO},USDC,base,1,"open`, 'quote'],
    [`${TO},USDC,base,１`, 'number'],
    [`${TO},USDC,base,1.`, 'number'],
    ['So11111111111111111111111111111111111111112,USDC,solana,1', 'program or a token'],
    ['9wFFyRfZBsuAha4YcuxcXLKwMxJR43S7fPfQLusDBzvT,USDC,solana,18446744073709.551616', 'at most'],
  ])('with the line %j is refused with its reason, and nothing of it is imported', async (line, reason) => {
    const csv = `${TO},USDC,base,7\n${line}\n${TO},USDC,base,8`;
    const before = await list();
    expect((await check(csv)).problems).toEqual([{ line: 2, problem: expect.stringContaining(reason) }]);
    expect((await plan(csv)).error).toMatchObject({
      code: 'invalid_request',
      param: 'csv',
      message: expect.stringMatching(/^Line 2: /),
    });
    expect(await list()).toEqual(before);
  });

  test.each([
    ['nothing but its head', 'address,asset,network,amount,note', 1],
    ['too many lines', rows(MAX_PAYOUT_LINES + 1), MAX_PAYOUT_LINES + 1],
  ])('with %s is refused', async (_what, csv, line) => {
    expect((await check(csv)).problems).toEqual([{ line, problem: expect.any(String) }]);
    expect((await plan(csv)).error).toMatchObject({ code: 'invalid_request', param: 'csv' });
  });

  test('that is sent twice, also at once, is imported once', async () => {
    const before = (await list()).length;
    const answers = await Promise.all(Array.from({ length: 5 }, () => plan(rows(3), 'the-same')));
    expect(answers.map(({ data }) => data)).toEqual(answers.map(() => ({ imported: 3 })));
    const after = await list();
    expect(after).toHaveLength(before + 3);
    expect(after.slice(0, 3).map(({ note }) => note)).toEqual(['row 0', 'row 1', 'row 2']);
    for (const other of [rows(2), rows(4), rows(3).replace('row 2', 'row 3'), 'nonsense'])
      expect((await plan(other, 'the-same')).error).toMatchObject({ code: 'invalid_request', param: 'import' });
    expect(await list()).toEqual(after);
  });
});

describe('a payout', () => {
  let ids: string[];
  beforeAll(async () => {
    merchant = await app.newMerchant();
    await plan(rows(4));
    ids = (await list()).map(({ id }) => id);
  });
  const statusOf = async (id: string | undefined) => (await list()).find((one) => one.id === id)?.status;

  test('is another account’s or mode’s business never', async () => {
    const stranger = await app.newMerchant();
    for (const [path, more] of [
      ['/sent', { tx_hash: HASH }],
      ['/cancel', {}],
      ['/send', { from: OWN_WALLET, holder: 'browser' }],
    ] as const)
      for (const as of [{ of: stranger }, { mode: 'live' }])
        expect((await ask('POST', path, { payouts: [ids[0]], ...more }, as)).error.code).toBe('not_found');
    expect((await ask('GET', '', undefined, { of: stranger })).data).toEqual([]);
    // A name of an import is one account's.
    await plan(rows(1), 'name');
    expect((await ask('POST', '', { csv: rows(2), import: 'name' }, { of: stranger })).data).toEqual({ imported: 2 });
    expect((await list()).map(({ status }) => status)).toEqual(Array(5).fill('planned'));
  });

  test('of test mode has arrived once it is sent, and neither changes nor is cancelled any more', async () => {
    const payouts = ids.slice(0, 2);
    expect((await ask('POST', '/send', { payouts, from: OWN_WALLET, holder: 'a' })).error.code).toBe(
      'invalid_payment_state',
    );
    expect((await ask('POST', '/sent', { payouts, tx_hash: 'nonsense' })).error).toMatchObject({ param: 'tx_hash' });
    expect((await ask('POST', '/sent', { payouts, tx_hash: HASH })).data).toEqual({ reported: 2 });
    expect((await list('&status=final')).map(({ id }) => id).sort()).toEqual([...payouts].sort());
    expect((await ask('POST', '/sent', { payouts, tx_hash: HASH })).data).toEqual({ reported: 2 });
    for (const [path, more] of [
      ['/sent', { tx_hash: `0x${'77'.repeat(32)}` }],
      ['/cancel', {}],
    ] as const)
      expect((await ask('POST', path, { payouts, ...more })).error.code).toBe('invalid_payment_state');
  });

  test('that is cancelled counts all the same if a wallet had sent it', async () => {
    const payouts = ids.slice(2, 3);
    expect((await ask('POST', '/cancel', { payouts })).data).toEqual({ cancelled: 1 });
    expect(await statusOf(payouts[0])).toBe('cancelled');
    await ask('POST', '/sent', { payouts, tx_hash: HASH });
    expect(await statusOf(payouts[0])).toBe('final');
  });

  test('that is not sent in a month is cancelled, and deleted three months later', async () => {
    const at = later(await app.ctx.db.now(), PLANNED_DAYS * DAY_MS + 1_000);
    const run = (now: Date) =>
      payoutsJob.run(
        { ...app.ctx, db: { ...app.ctx.db, now: async () => now } },
        new AbortController().signal,
        () => {},
      );
    await run(later(at, -DAY_MS));
    expect(await statusOf(ids[3])).toBe('planned');
    await run(at);
    expect(await statusOf(ids[3])).toBe('cancelled');
    await deleteUnsentPayouts(app.ctx.db, later(at, -PLANNED_DAYS * DAY_MS), 1_000);
    // In test mode none is kept.
    expect(await list()).toEqual([]);
  });
});

test('a CSV with a character that cannot be stored is refused', async () => {
  expect((await plan(`${TO},USDC,base,1,a\0b`)).error).toMatchObject({ code: 'invalid_request', param: 'csv' });
});

test('an account has a limited number of open payouts', async () => {
  merchant = await app.newMerchant();
  const imports = MAX_OPEN_PAYOUTS / MAX_PAYOUT_LINES;
  for (let at = 0; at < imports; at += 1) await plan(rows(MAX_PAYOUT_LINES));
  expect((await plan(rows(1))).error).toMatchObject({ param: 'csv', message: expect.stringContaining('2000') });
  const [one] = await list();
  await ask('POST', '/cancel', { payouts: [one.id] });
  expect((await plan(rows(1))).data).toEqual({ imported: 1 });
});

test('a payout that was cancelled is not sent beyond that number, where each is looked up', async () => {
  merchant = await app.newMerchant();
  const live = (path: string, body: object) => ask('POST', path, body, { mode: 'live' });
  await live('', { csv: rows(1), import: 'first' });
  const payouts = (await ask('GET', '', undefined, { mode: 'live' })).data.map(({ id }: Data) => id);
  await live('/cancel', { payouts });
  for (let at = 0; at < MAX_OPEN_PAYOUTS; at += MAX_PAYOUT_LINES)
    expect((await live('', { csv: rows(MAX_PAYOUT_LINES), import: `import-${at}` })).error).toBeUndefined();
  expect((await live('/sent', { payouts, tx_hash: HASH })).error).toMatchObject({ code: 'invalid_payment_state' });
  const [one] = (await ask('GET', '?status=planned', undefined, { mode: 'live' })).data;
  await live('/cancel', { payouts: [one.id] });
  expect((await live('/sent', { payouts, tx_hash: HASH })).data).toEqual({ reported: 1 });
});
