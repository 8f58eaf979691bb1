import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { mailedCode } from './support/mailed-code.ts';
import { beforeStories } from './support/stories.ts';

let demo: DemoService;
let browser: Browser;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  await demo.seeded();
});

describe('signing in', () => {
  test('by a code from a mail, which the mail inbox shows', async () => {
    await using window = await visit(browser, demo.url);
    await window.page.goto(`${demo.url}/dashboard/payments?status=paid`);
    await window.page.getByLabel('Email').fill('mia@shop.example');
    await window.page.getByRole('button', { name: 'Send a code' }).click();
    await window.page.getByLabel('Code').waitFor();
    const code = await mailedCode(window, demo.url, 'mia@shop.example');

    await window.page.getByLabel('Code').fill('AAAAAA');
    await window.page.getByRole('button', { name: 'Sign in' }).click();
    const refusal = window.page.getByRole('alert');
    await refusal.waitFor();
    // Before the sign-in a request cannot be looked up.
    expect(await refusal.textContent()).not.toContain('req_');
    await window.page.getByLabel('Code').fill(code.toLowerCase());
    await window.page.getByRole('button', { name: 'Sign in' }).click();

    // Leads to the originally requested view.
    await window.page.getByText('No payments match these filters').waitFor();
    expect(new URL(window.page.url()).pathname + new URL(window.page.url()).search).toBe(
      '/dashboard/payments?status=paid',
    );
    expect(window.incidents).toEqual([]);
  });

  test.each(['ethereum', 'solana'] as const)(
    'by an %s wallet; its account has the one wallet and says why',
    async (family) => {
      await using window = await visit(browser, demo.url);
      await addWallet(window.page, family);
      await window.page.goto(`${demo.url}/dashboard/sign-in`);
      await window.page.getByRole('button', { name: /Test Wallet/ }).click();
      await window.page.getByRole('heading', { name: 'Home' }).waitFor();
      await window.page.getByRole('link', { name: 'Payout wallets' }).click();
      await window.page.getByText('You sign in with a wallet').waitFor();
      await window.page.getByText('Verified', { exact: true }).waitFor();
      expect(await window.page.getByRole('button', { name: 'Add a wallet' }).count()).toBe(0);
      expect(window.incidents).toEqual([]);
    },
  );

  test('a second tab notices that the first has signed out', async () => {
    await using window = await visit(browser, demo.url);
    await addWallet(window.page, 'ethereum');
    await window.page.goto(`${demo.url}/dashboard/sign-in`);
    await window.page.getByRole('button', { name: /Test Wallet/ }).click();
    await window.page.getByRole('heading', { name: 'Home' }).waitFor();
    const other = await window.context.newPage();
    await other.goto(`${demo.url}/dashboard/settings`);
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

/** A wallet in the page whose key is here: the page only sees signatures. */
async function addWallet(page: Page, family: 'ethereum' | 'solana'): Promise<void> {
  const account = privateKeyToAccount(generatePrivateKey());
  const solana = generateKeyPairSync('ed25519');
  const address =
    family === 'ethereum'
      ? account.address
      : base58(Buffer.from(solana.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
  await page.exposeFunction('signInTest', async (text: string) =>
    family === 'ethereum'
      ? account.signMessage({ message: text })
      : [...signBytes(null, Buffer.from(text), solana.privateKey)],
  );
  await page.addInitScript(
    ({ family: kind, address: own }) => {
      const sign = (text: string) =>
        (window as unknown as { signInTest(text: string): Promise<never> }).signInTest(text);
      if (kind === 'ethereum') {
        const text = (hex: string) =>
          new TextDecoder().decode(
            Uint8Array.from(hex.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
          );
        const provider = {
          request: async ({ method, params }: { method: string; params?: string[] }) =>
            method === 'eth_requestAccounts' ? [own] : sign(text(params?.[0] ?? '0x')),
        };
        const announce = () =>
          window.dispatchEvent(
            new CustomEvent('eip6963:announceProvider', {
              detail: Object.freeze({
                info: { uuid: 'test', name: 'Test Wallet', icon: 'https://evil.example/icon.png', rdns: 'test' },
                provider,
              }),
            }),
          );
        window.addEventListener('eip6963:requestProvider', announce);
        return;
      }
      const account = {
        address: own,
        publicKey: new Uint8Array(32),
        chains: ['solana:mainnet'],
        features: ['solana:signMessage'],
      };
      const wallet = {
        version: '1.0.0',
        name: 'Test Wallet',
        icon: 'data:image/svg+xml;base64,PHN2Zy8+',
        chains: ['solana:mainnet'],
        accounts: [account],
        features: {
          'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
          'solana:signMessage': {
            version: '1.0.0',
            signMessage: async ({ message }: { message: Uint8Array }) => [
              { signedMessage: message, signature: Uint8Array.from(await sign(new TextDecoder().decode(message))) },
            ],
          },
        },
      };
      const callback = ({ register }: { register(wallet: unknown): void }) => register(wallet);
      window.addEventListener('wallet-standard:app-ready', (event) => callback((event as CustomEvent).detail));
      window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
    },
    { family, address },
  );
}

function base58(bytes: Buffer): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let text = '';
  for (let value = BigInt(`0x${bytes.toString('hex')}`); value > 0n; value /= 58n)
    text = alphabet[Number(value % 58n)] + text;
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}
