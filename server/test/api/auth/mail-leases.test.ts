import { expect, test } from 'vitest';
import { queueMail } from '../../../src/platform/mails/queue-mail.ts';
import { HOUR_MS, later } from '../../../src/platform/time.ts';
import { sendMails } from '../../../src/resources/mails/send-mails.ts';
import { startApp } from '../../support/app.ts';

test('of two workers one sends a mail, however slow the mail server is', async () => {
  const sent: string[] = [];
  const connections = 2;
  const open: Promise<unknown>[] = Array.from({ length: connections }, async () => {});
  let other: Promise<unknown> | undefined;
  await using own = await startApp({
    movableClock: true,
    overrides: {
      mail: {
        available: true,
        // Two connections, and 13 seconds for each mail.
        send(mail) {
          const free = open.shift() ?? Promise.resolve();
          const done = free.then(async () => {
            sent.push(mail.to);
            await own.pass(13 / connections);
            if (sent.length === 19) other = sendMails(own.ctx);
          });
          open.push(done);
          return done;
        },
        async close() {},
      },
    },
  });
  const now = await own.ctx.db.now();
  const addresses = Array.from({ length: 20 }, (_, index) => `merchant-${index}@example.com`);
  for (const to of addresses)
    await queueMail(
      own.ctx.db,
      own.ctx.secrets,
      { to, subject: 'a', text: 'b' },
      { now, usefulUntil: later(now, HOUR_MS) },
    );
  await sendMails(own.ctx);
  await other;
  expect(sent.sort()).toEqual(addresses.sort());
});
