import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { PermanentError, TemporaryError } from '../../platform/errors.ts';
import type { Mailer } from './mail.ts';
import { createMailer, checkSmtp, type SmtpTls } from './mailer.ts';

const mail = {
  to: 'ada@example.com',
  subject: 'Your Quittance login code: K7MQ2X',
  text: 'Your login code is K7MQ2X\n\nGrüße\n',
};
const silent = pino({ level: 'silent' });
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('a mail arrives at the mail server completely: sender, recipient, subject, text', async () => {
  const server = await startMailServer();
  const mailer = smtpMailer(server.url);

  await mailer.send(mail);

  expect(mailer.available).toBe(true);
  expect(server.envelopes).toEqual([{ from: 'no-reply@pay.example.com', to: ['ada@example.com'] }]);
  expect(server.mails[0]).toMatchObject({
    from: { name: 'Fern & Fog', address: 'no-reply@pay.example.com' },
    to: [{ address: 'ada@example.com' }],
    subject: mail.subject,
    text: expect.stringContaining('Grüße'),
  });
  expect(server.mails[0]?.messageId).toBeTruthy();
  expect(server.mails[0]?.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  );
});

test('user and password of SMTP_URL are used', async () => {
  const logins: unknown[] = [];
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      logins.push([auth.username, auth.password]);
      done(null, { user: auth.username });
    },
  });

  await smtpMailer(server.url.replace('//', '//post:se%40cret@')).send(mail);

  expect(logins).toEqual([['post', 'se@cret']]);
});

test('a mail server elsewhere gets neither mails nor the password without TLS, unless a setting says so', async () => {
  const logins: unknown[] = [];
  const server = await startMailServer({
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      logins.push(auth.password);
      done(null, { user: auth.username });
    },
  });
  // The same machine, by an address that is not known as it.
  const url = server.url.replace('//127.0.0.1', '//post:secret@0.0.0.0');

  await expect(smtpMailer(url).send(mail)).rejects.toBeInstanceOf(TemporaryError);
  await expect(checkSmtp(url, 'required')).rejects.toThrow(/STARTTLS/);
  expect([logins, server.mails]).toEqual([[], []]);

  await smtpMailer(url, 'optional').send(mail);
  await checkSmtp(url, 'optional');
  expect([logins, server.mails.length]).toEqual([['secret', 'secret'], 1]);
});

test('a rejected recipient is a permanent failure, a deferred one a temporary failure', async () => {
  const server = await startMailServer({
    onRcptTo({ address }, _session, done) {
      const code = { 'nobody@example.com': 550, 'busy@example.com': 451 }[address];
      done(code ? Object.assign(new Error('no'), { responseCode: code }) : null);
    },
  });
  const mailer = smtpMailer(server.url);

  await expect(mailer.send({ ...mail, to: 'nobody@example.com' })).rejects.toBeInstanceOf(PermanentError);
  await expect(mailer.send({ ...mail, to: 'busy@example.com' })).rejects.toBeInstanceOf(TemporaryError);
  await mailer.send(mail);
  expect(server.mails).toHaveLength(1);
});

test('a mail server that refuses the sender is a temporary failure, whichever command it refuses', async () => {
  const refuse = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });
  const sender = refuse(553, '5.7.1 Sender address rejected: not owned by user');
  const refusing: SMTPServerOptions[] = [
    { onMailFrom: (_address, _session, done) => done(refuse(550, 'Sender unknown')) },
    { onRcptTo: (_address, _session, done) => done(sender) },
    { onRcptTo: (_address, _session, done) => done(refuse(550, '5.1.8 Sender domain not found')) },
    { disabledCommands: ['STARTTLS', 'DATA'] },
    { onData: (stream, _session, done) => stream.resume().on('end', () => done(sender)) },
  ];
  for (const options of refusing) {
    const { url } = await startMailServer(options);
    const error = await smtpMailer(url)
      .send(mail)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TemporaryError);
    expect((error as Error).message).toMatch(/ 5\d\d$/);
  }
  const strict = await startMailServer({
    onData: (stream, _session, done) => stream.resume().on('end', () => done(refuse(554, '5.6.0 Message malformed'))),
  });
  await expect(smtpMailer(strict.url).send(mail)).rejects.toBeInstanceOf(PermanentError);
});

test('an unreachable mail server or a rejected login is a temporary failure, because the operator can fix it', async () => {
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(new Error('wrong password')),
  });
  await expect(smtpMailer(server.url.replace('//', '//post:wrong@')).send(mail)).rejects.toBeInstanceOf(TemporaryError);

  await server.close();
  await expect(smtpMailer(server.url).send(mail)).rejects.toBeInstanceOf(TemporaryError);
});

test('an address cannot add a header or a recipient', async () => {
  const server = await startMailServer();
  const mailer = smtpMailer(server.url);

  await mailer.send({ ...mail, to: 'ada@example.com\r\nBcc: eve@example.com' }).catch(() => {});
  await mailer.send({ ...mail, to: 'ada@example.com, eve@example.com' }).catch(() => {});

  expect(server.envelopes.flatMap((envelope) => envelope.to)).not.toContain('eve@example.com');
});

test('without SMTP_URL each mail is a file in development, and the log shows the code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quittance-mail-'));
  closers.push(() => rm(folder, { recursive: true }));
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const mailer = createMailer(
    {
      smtpUrl: null,
      smtpTls: 'required',
      mailFrom: 'Quittance <no-reply@localhost>',
      profile: 'development',
      dataDir: folder,
    },
    log,
  );

  await mailer.send(mail);

  const files = await readdir(join(folder, 'mail'));
  expect(files).toEqual([expect.stringMatching(/\.eml$/)]);
  const parsed = await PostalMime.parse(await readFile(join(folder, 'mail', files[0] as string)));
  expect(parsed).toMatchObject({
    subject: mail.subject,
    to: [{ address: 'ada@example.com' }],
    text: expect.stringContaining('K7MQ2X'),
  });
  expect(lines.join('')).toContain('Your Quittance login code: K7MQ2X');
});

test('without SMTP_URL no mail is sent in production, and the log says so', () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });

  const mailer = createMailer(
    { smtpUrl: null, smtpTls: 'required', mailFrom: '', profile: 'production', dataDir: '/nowhere' },
    log,
  );

  expect(mailer.available).toBe(false);
  expect(lines.join('')).toContain('email login is off');
});

function smtpMailer(url: string, smtpTls: SmtpTls = 'required'): Mailer {
  const mailFrom = 'Fern & Fog <no-reply@pay.example.com>';
  const mailer = createMailer({ smtpUrl: url, smtpTls, mailFrom, profile: 'production', dataDir: '/nowhere' }, silent);
  closers.push(() => mailer.close());
  return mailer;
}

async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: Email[] = [];
  const envelopes: { from: string | false; to: string[] }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        envelopes.push({ from: mailFrom ? mailFrom.address : false, to: rcptTo.map((recipient) => recipient.address) });
        void PostalMime.parse(Buffer.concat(chunks)).then((parsed) => {
          mails.push(parsed);
          done();
        });
      });
    },
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let isOpen = true;
  const close = () =>
    new Promise<void>((resolve) => {
      if (!isOpen) return resolve();
      isOpen = false;
      server.close(() => resolve());
    });
  closers.push(close);
  return { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, mails, envelopes, close };
}
