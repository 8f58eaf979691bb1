import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';

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
