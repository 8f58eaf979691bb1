import { expect, test } from 'vitest';
import { sendNotices } from '../../../src/resources/notices/send-notices.ts';
import { deliverMails, mailbox } from '../../support/logins.ts';
import { startApp } from '../../support/index.ts';

/** Two merchants, each with a payment to mail about, in the order of a turn. */
async function startTwo() {
  const box = mailbox();
  const app = await startApp({ overrides: { mail: box } });
  const merchants = [await app.newMerchant(), await app.newMerchant()];
  // The turn begins with the first of them.
  merchants.sort((one, other) => (one.accountId < other.accountId ? -1 : 1));
  for (const merchant of merchants) {
    await merchant.dashboard.patch('/account', { email_notifications: { paid: true } });
    const { id } = await merchant.createSession();
    const outcome = { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' };
    await merchant.post(`/test_helpers/checkout/sessions/${id}/pay`, outcome);
  }
  const told = async (ctx = app.ctx) => {
    await sendNotices(ctx);
    await deliverMails(app.ctx);
    const mails = box.mails.filter(({ text }) => text.includes('your account asks for it'));
    return merchants.map(({ email }) => mails.filter(({ to }) => to === email).length);
  };
  return { app, merchants, told };
}

test('mails to a merchant are sent although those of another account cannot be', async () => {
  const { app, merchants, told } = await startTwo();
  await using _ = app;
  const [broken] = merchants;
  await app.ctx.db.query(
    'test_refuse',
    `
    create function refuse_notice() returns trigger language plpgsql as $$ begin
      if new.account_id = '${broken?.accountId}' then raise exception 'refused' using errcode = '22007'; end if;
      return new; end $$`,
  );
  await app.ctx.db.query(
    'test_trigger',
    'create trigger refuse before update on notices for each row execute function refuse_notice()',
  );
  expect(await told()).toEqual([0, 1]);
  await app.ctx.db.query('test_accept', 'drop trigger refuse on notices');
  expect(await told()).toEqual([1, 1]);
});

test('mails to a merchant are sent although the database takes too long for another account, but not without it', async () => {
  const { app, merchants, told } = await startTwo();
  await using _ = app;
  const { db } = app.ctx;
  const late = new Error('Query read timeout');
  let isAway = false;
  const onLate = (willBeAway: boolean): typeof app.ctx => ({
    ...app.ctx,
    db: {
      ...db,
      now: () => (isAway ? Promise.reject(late) : db.now()),
      transaction: (work) =>
        db.transaction((inside) =>
          work({
            ...inside,
            query(name, sql, values) {
              if (name !== 'read_mailed_notices' || values?.[0] !== merchants[0]?.accountId)
                return inside.query(name, sql, values);
              isAway = willBeAway;
              return Promise.reject(late);
            },
          }),
        ),
    },
  });
  await expect(told(onLate(true))).rejects.toThrow(late);
  isAway = false;
  expect(await told(onLate(false))).toEqual([0, 1]);
  expect(await told()).toEqual([1, 1]);
});

test('a backlog waits for the next summary in steps, so that no statement takes long', async () => {
  const { app, merchants, told } = await startTwo();
  await using _ = app;
  const [busy] = merchants;
  const add = (count: number, outcome: string | null) =>
    app.ctx.db.query(
      'test_backlog',
      `
      insert into notices (account_id, livemode, kind, outcome, handled_at)
      select $1, false, 'paid', $3::text, case when $3 is not null then $4::timestamptz end from generate_series(1, $2::integer)`,
      [busy?.accountId, count, outcome, now],
    );
  const now = await app.ctx.db.now();
  await add(20, 'mailed');
  await add(1, 'digest');
  await add(20_500, null);
  const due = async () =>
    (
      await app.ctx.db.query<{ count: number }>(
        'test_due',
        'select count(*)::integer as count from notices where handled_at is null and due_at <= $1',
        [now],
      )
    )[0]?.count;
  expect(await told()).toEqual([0, 1]);
  expect(await due()).toBe(501);
  await told();
  expect(await due()).toBe(0);
});
