import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit } from './support/browser.ts';
import { type Service, startService } from './support/service.ts';

let browser: Browser;
let service: Service;
let operator: string;
beforeAll(async () => {
  browser = await openBrowser();
  service = await startService({ SIGNUP: 'invite' });
  operator = await logInAsOperator();
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

async function logInAsOperator(): Promise<string> {
  const email = 'demo@example.com';
  await service.call('POST', '/v1/auth/email/start', { email });
  return (
    await service.call<{ session_token: string }>('POST', '/v1/auth/email/verify', {
      email,
      code: await service.mailedCode(email),
    })
  ).session_token;
}

/** The login links in all mails to this address. */
async function linksTo(email: string): Promise<string[]> {
  const folder = join(service.dataDir, 'mail');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
  const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return mails
    .filter((text) => text.includes(`To: ${email}`))
    .flatMap((text) => {
      const plain = text
        .replaceAll(/=\r?\n/g, '')
        .replaceAll(/=([0-9A-F]{2})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
      return /http:\S+#login=\S+/.exec(plain)?.[0] ?? [];
    });
}

test('the operator creates an invitation link in the settings and revokes it', async () => {
  await using window = await visit(browser, service.url);
  await window.context.addCookies([
    { name: 'session', value: operator, url: service.url, httpOnly: true, sameSite: 'Lax' },
  ]);
  await window.page.goto(`${service.url}/dashboard/settings`);
  await window.page.getByRole('button', { name: 'Create an invitation link' }).click();
  await window.page
    .getByText(/#invitation=\w{43}/)
    .first()
    .waitFor();
  await window.page.getByRole('button', { name: 'Revoke' }).click();
  await expect.poll(() => window.page.getByRole('button', { name: 'Revoke' }).count()).toBe(0);
  expect(window.incidents).toEqual([]);
});

test('a stranger is asked to get an invitation, an invited merchant opens an account, and the link in a mail signs in once', async () => {
  await using stranger = await visit(browser, service.url);
  await stranger.page.goto(`${service.url}/dashboard/sign-in`);
  await stranger.page
    .getByText('New accounts need an invitation. Ask the operator of this server for a link.')
    .waitFor();

  const { url } = await service.call<{ url: string }>('POST', '/v1/invitations', {}, operator);
  await using invited = await visit(browser, service.url);
  await invited.page.goto(url);
  await invited.page.getByText('You were invited. Sign in to open your account.').waitFor();
  await invited.page.getByLabel('Email').fill('invited@example.com');
  await invited.page.getByRole('button', { name: 'Send a code' }).click();
  await invited.page.getByLabel('Code').fill(await service.mailedCode('invited@example.com'));
  await invited.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await invited.page.getByRole('heading', { name: 'Home' }).waitFor();

  // Only the operator sees invitations.
  await invited.page.goto(`${service.url}/dashboard/settings`);
  await invited.page.getByRole('heading', { name: 'Settings' }).waitFor();
  expect(await invited.page.getByRole('button', { name: 'Create an invitation link' }).count()).toBe(0);

  await using used = await visit(browser, service.url);
  await used.page.goto(url);
  await used.page.getByLabel('Email').fill('another@example.com');
  await used.page.getByRole('button', { name: 'Send a code' }).click();
  await used.page
    .getByRole('alert')
    .filter({ hasText: 'This invitation was used or revoked, or it has expired.' })
    .waitFor();

  const [first] = await linksTo('invited@example.com');
  await used.page.goto(`${service.url}/dashboard/sign-in?again`);
  await used.page.getByLabel('Email').fill('invited@example.com');
  await used.page.getByRole('button', { name: 'Send a code' }).click();
  await expect.poll(() => linksTo('invited@example.com')).toHaveLength(2);
  const link = (await linksTo('invited@example.com')).find((one) => one !== first) ?? 'no link';
  // A scanner that opens it, even with scripts, uses nothing up.
  await using scanner = await visit(browser, service.url);
  await scanner.page.goto(link);
  await scanner.page.getByRole('button', { name: 'Sign in as invited@example.com' }).waitFor();
  await using owner = await visit(browser, service.url);
  await owner.page.goto(link);
  await owner.page.getByRole('button', { name: 'Sign in as invited@example.com' }).click();
  await owner.page.getByRole('heading', { name: 'Home' }).waitFor();
  await scanner.page.getByRole('button', { name: 'Sign in as invited@example.com' }).click();
  await scanner.page
    .getByRole('alert')
    .filter({ hasText: 'This login link was already used or has expired.' })
    .waitFor();
  for (const window of [stranger, invited, used, scanner, owner]) expect(window.incidents).toEqual([]);
});
