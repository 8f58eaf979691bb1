import { expect } from 'vitest';
import type { Visit } from './browser.ts';

/** The code of the only login mail to this address, as the mail inbox of the demo shows it. */
export async function mailedCode({ context }: Visit, url: string, email: string): Promise<string> {
  const inbox = await context.newPage();
  const mail = inbox.getByRole('row').filter({ hasText: email });
  await expect
    .poll(
      async () => {
        await inbox.goto(`${url}/dev/mail`);
        return mail.count();
      },
      { timeout: 15_000 },
    )
    .toBe(1);
  return (await mail.getByRole('link').textContent())?.split(' ').at(-1) ?? '';
}
