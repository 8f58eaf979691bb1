import type { BrowserContext, Page } from 'playwright-core';

/** The account that the wallet of Solana shares. */
const SOLANA = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';

/** Wallets of both families that approve everything and record what they are asked. */
export async function recordWallets(context: BrowserContext): Promise<string[]> {
  const asked: string[] = [];
  await context.exposeBinding('recordAsked', (_source, request: string) => void asked.push(request));
  await context.addInitScript(
    ({ solana }) => {
      const record = (request: unknown) =>
        (window as unknown as { recordAsked(text: string): void }).recordAsked(JSON.stringify(request));
      const provider = {
        async request(call: { method: string }) {
          record(call);
          if (call.method === 'eth_requestAccounts') return ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'];
          return '0x1';
        },
      };
      const info = {
        uuid: 'fe000000-0000-4000-8000-000000000077',
        name: 'Fern Wallet',
        icon: '',
        rdns: 'example.fern',
      };
      addEventListener('eip6963:requestProvider', () =>
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } })),
      );
      const account = { address: solana, publicKey: new Uint8Array(32), chains: ['solana:mainnet'], features: [] };
      const feature = (name: string, answer: unknown) => async (input: object) => {
        record({ name, ...input });
        return answer;
      };
      const wallet = {
        version: '1.0.0',
        name: 'Moss Wallet',
        icon: 'data:image/svg+xml,',
        chains: ['solana:mainnet'],
        accounts: [account],
        features: {
          'standard:connect': { version: '1.0.0', connect: feature('connect', { accounts: [account] }) },
          'solana:signAndSendTransaction': { version: '1.0.0', signAndSendTransaction: feature('send', []) },
          'solana:signMessage': { version: '1.0.0', signMessage: feature('sign', []) },
        },
      };
      const register = ({ register: add }: { register(wallet: unknown): void }) => add(wallet);
      addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail));
    },
    { solana: SOLANA },
  );
  return asked;
}

/** Presses every button that could reach a wallet, whatever it is called, and counts them. */
export async function pressEverything(page: Page): Promise<number> {
  return page.locator('body').evaluate((body) => {
    for (const folded of body.querySelectorAll<HTMLElement>('details:not([open]) > summary')) folded.click();
    const reaching = '[data-do^=wallet], button[name=wallet], button.wallet:not([form])';
    const buttons = [...body.querySelectorAll<HTMLElement>(reaching)];
    for (const button of buttons) button.click();
    return buttons.length;
  });
}
