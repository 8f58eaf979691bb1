import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';

test('a merchant asks for a code, reads it in the mail, logs in, makes a key and saves a wallet', async () => {
  const post = await startMailServer();
  onTestFinished(post.close);
  await using app = await startApp({ env: { SMTP_URL: post.url }, work: true });
  const call = (method: string, path: string, body?: unknown, token?: string) =>
    fetch(`${app.url}/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const data = async (answer: Response): Promise<any> => ((await answer.json()) as any).data;

  expect(await data(await call('POST', '/auth/email/start', { email: 'ada@example.com' }))).toEqual({
    expires_in: 600,
    sent: true,
  });
  const mail = await post.next();
  expect(mail.to?.[0]?.address).toBe('ada@example.com');
  const code = mail.subject?.split(' ').at(-1);
  const { session_token: login } = await data(
    await call('POST', '/auth/email/verify', { email: 'ada@example.com', code }),
  );
  const { secret } = await data(await call('POST', '/api-keys', { mode: 'live' }, login));
  const wallet = await data(
    await call(
      'POST',
      '/payout-wallets',
      { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
      secret,
    ),
  );

  expect(wallet).toMatchObject({ is_default: true, livemode: true, label: 'USDC on Base' });
  const warning = await post.next();
  expect(warning.subject).toBe('A payout wallet was added in live mode');
});

async function startMailServer() {
  const waiting: ((mail: Email) => void)[] = [];
  const arrived: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const mail = await PostalMime.parse(Buffer.concat(chunks));
        const hear = waiting.shift();
        if (hear) hear(mail);
        else arrived.push(mail);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    next: () =>
      new Promise<Email>((resolve) => {
        const mail = arrived.shift();
        if (mail) resolve(mail);
        else waiting.push(resolve);
      }),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
