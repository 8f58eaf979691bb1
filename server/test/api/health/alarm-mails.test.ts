import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIN_FREE_BYTES, reportUpkeep } from '../../../src/alarms/embedded-upkeep.ts';
import { noteBackup } from '../../../src/platform/db/embedded/last-backup.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { queueMail } from '../../../src/platform/mails/queue-mail.ts';
import { createLogger, type RaisedAlarms } from '../../../src/platform/log.ts';
import { DAY_MS, HOUR_MS, later } from '../../../src/platform/time.ts';
import { sendMails } from '../../../src/resources/mails/send-mails.ts';
import { mailAlarms } from '../../../src/alarms/mail-alarms.ts';
import { mailbox } from '../../support/logins.ts';
import { startApp } from '../../support/index.ts';

const NOWHERE = { write: () => {} };

/** Two processes of one service, with a mail server, and the operator's own mails. */
async function startTwo() {
  const box = mailbox();
  const app = await startApp({ overrides: { mail: box }, movableClock: true });
  await app.newMerchant();
  const [one, other] = [1, 2].map(() => {
    const raisedAlarms: RaisedAlarms = new Map();
    const ctx = { ...app.ctx, raisedAlarms, log: createLogger('error', { out: NOWHERE, raised: raisedAlarms }) };
    const unsent = new Set<string>();
    return { ctx, unsent, mail: () => mailAlarms(ctx, unsent) };
  }) as [Process, Process];
  return { box, app, one, other, operator: app.merchant.email };
}

interface Process {
  unsent: Set<string>;
  ctx: Awaited<ReturnType<typeof startApp>>['ctx'];
  mail(): Promise<void>;
}

test('the operator gets a mail of each alarm, once an hour however many processes raise it again, and no one else', async () => {
  const { box, app, one, other, operator } = await startTwo();
  await using _ = app;
  const raise = ({ ctx }: Process, network: string) =>
    ctx.log.error(
      { alarm: 'network_stalled', network, providers: [{ lastError: 'https://rpc.example/secret-key' }] },
      'network not watched',
    );
  raise(one, 'base');
  raise(other, 'base');
  await Promise.all([one.mail(), other.mail()]);
  expect(box.mails).toEqual([
    { to: operator, subject: 'Alarm: network_stalled (base)', text: expect.stringContaining('network: base') },
  ]);
  expect(box.mails[0]?.text).not.toContain('secret-key');
  expect(box.mails[0]?.text).toContain('What to do: If no worker runs, start one;');

  // Another network is another alarm.
  raise(one, 'base');
  raise(one, 'solana');
  await one.mail();
  expect(box.mails.map(({ subject }) => subject).slice(1)).toEqual(['Alarm: network_stalled (solana)']);

  await app.pass(HOUR_MS / 1000);
  for (const process of [one, other]) for (const network of ['base', 'solana']) raise(process, network);
  await one.mail();
  await other.mail();
  expect(box.mails.map(({ subject }) => subject).slice(2)).toEqual(['Alarm: network_stalled (base) and 1 more']);
});

test('an alarm is mailed later if the database could not be reached', async () => {
  const { box, app, one } = await startTwo();
  await using _ = app;
  one.ctx.log.error({ alarm: 'history_missing', network: 'base' }, 'no provider has these blocks');
  const down = { ...app.ctx.db, transaction: () => Promise.reject(new Error('no connection')) };
  await expect(mailAlarms({ ...one.ctx, db: down as never }, one.unsent)).rejects.toThrow('no connection');
  await one.mail();
  await one.mail();
  expect(box.mails.map(({ subject }) => subject)).toEqual(['Alarm: history_missing (base)']);
});

test('what is raised before the hour is over is mailed after it, with how often; a mail of the same minute is of all processes', async () => {
  const { box, app, one, other } = await startTwo();
  await using _ = app;
  const dispute = ({ ctx }: Process, walletId: string) =>
    ctx.log.error({ alarm: 'address_disputed', network: 'base', walletId }, 'two accounts prove one address');
  dispute(one, 'pp_first');
  dispute(other, 'pp_first');
  await one.mail();
  await other.mail();
  await app.pass(600);
  for (const walletId of ['pp_second', 'pp_third']) dispute(one, walletId);
  await one.mail();
  expect(box.mails).toHaveLength(1);

  await app.pass(HOUR_MS / 1000);
  await other.mail();
  await one.mail();
  await one.mail();
  expect(box.mails.slice(1)).toMatchObject([{ text: expect.stringMatching(/walletId: pp_third\nraised 2 times/) }]);
});

test('a mail of an alarm goes before all that wait, and is tried again until the mail server takes it', async () => {
  const { box, app, one } = await startTwo();
  await using _ = app;
  const now = await app.ctx.db.now();
  for (let at = 0; at < 25; at += 1) {
    const mail = { to: `stranger-${at}@example.com`, subject: 'Your code', text: '123456' };
    await queueMail(app.ctx.db, app.ctx.secrets, mail, { now, usefulUntil: later(now, HOUR_MS) });
  }
  one.ctx.log.error({ alarm: 'network_stalled', network: 'base' }, 'network not watched');
  const refusing = { ...box, send: () => Promise.reject(new TemporaryError('mail server: EAI_AGAIN')) };
  await mailAlarms({ ...one.ctx, mail: refusing }, one.unsent);
  await one.mail();
  expect(box.mails).toEqual([]);
  await app.pass(10);
  await one.mail();
  expect(box.mails.map(({ subject }) => subject)).toEqual(['Alarm: network_stalled (base)']);
});

test.each(['sent by another loop', 'deleted'])(
  'a mail of an alarm that was %s is not asked about again',
  async (how) => {
    const { box, app, one } = await startTwo();
    await using _ = app;
    one.ctx.log.error({ alarm: 'network_stalled', network: 'base' }, 'network not watched');
    const refusing = { ...box, send: () => Promise.reject(new TemporaryError('mail server: EAI_AGAIN')) };
    await mailAlarms({ ...one.ctx, mail: refusing }, one.unsent);
    await one.mail();
    expect(one.unsent.size).toBe(1);
    await app.pass(10);
    if (how === 'deleted') await app.ctx.db.query('test_delete', 'delete from mails');
    else await sendMails(app.ctx);
    await one.mail();
    expect([box.mails.length, one.unsent.size]).toEqual([how === 'deleted' ? 0 : 1, 0]);
  },
);

test('a disk that is almost full is an alarm, and so are backups that have stopped; a server that makes none is left alone', async () => {
  const { app, one } = await startTwo();
  await using _ = app;
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-overdue-'));
  const look = async (takenAt?: Date, findFree = async () => MIN_FREE_BYTES) => {
    if (takenAt) await noteBackup(dataDir, takenAt.toISOString());
    const config = { ...app.config, profile: 'production', databaseUrl: null, dataDir } as typeof app.config;
    one.ctx.raisedAlarms.clear();
    await reportUpkeep({ ...one.ctx, config }, { lookedAtMs: null }, 0, findFree);
    return [...one.ctx.raisedAlarms.keys()];
  };
  const now = await app.ctx.db.now();
  expect(await look()).toEqual([]);
  expect(await look(later(now, -DAY_MS))).toEqual([]);
  expect(await look(undefined, async () => MIN_FREE_BYTES - 1)).toEqual(['disk_almost_full']);
  expect(await look(later(now, -3 * DAY_MS))).toEqual(['backup_overdue']);
  await rm(dataDir, { recursive: true });
});
