import { expect, test } from 'vitest';
import { sendNotices } from '../../../src/resources/notices/send-notices.ts';
import { deliverMails, mailbox } from '../../support/logins.ts';
import { startApp } from '../../support/index.ts';

test('mails to a merchant are sent although those of another account cannot be', async () => {
  const box = mailbox();
  await using app = await startApp({ overrides: { mail: box } });
  const merchants = [await app.newMerchant(), await app.newMerchant()];
  // The turn begins with the first of them.
  merchants.sort((one, other) => (one.accountId < other.accountId ? -1 : 1));
  for (const merchant of merchants) {
    await merchant.dashboard.patch('/account', { email_notifications: { paid: true } });
    const { id } = await merchant.createSession();
    const outcome = { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' };
    await merchant.post(`/test_helpers/checkout/sessions/${id}/pay`, outcome);
  }
  const told = async () => {
    await sendNotices(app.ctx);
    await deliverMails(app.ctx);
    const mails = box.mails.filter(({ text }) => text.includes('your account asks for it'));
    return merchants.map(({ email }) => mails.filter(({ to }) => to === email).length);
  };
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
