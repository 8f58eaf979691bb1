import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CheckoutPage } from '../page-state.ts';
import { chooseByWallet, fillInAddress, payByWallet, signClaim } from './use-wallet.ts';
import { discoverWallets } from './wallets.ts';

const HASH = `0x${'d4'.repeat(32)}`;
const payment = {
  network: 'ethereum',
  asset: 'USDC',
  kind: 'direct',
  address: `0x${'b2'.repeat(20)}`,
  amount: '49.000000',
  amount_due: '49.000000',
  amount_seen: '0',
  uri: `ethereum:0x${'c3'.repeat(20)}@1/transfer?address=0x${'b2'.repeat(20)}&uint256=49000000`,
  tag: null,
  quote_expires_at: null,
};
const session = { id: 'cs_1', status: 'pending', livemode: true, merchant: {}, expires_at: null, payment };

/** The relay that the page asked for, which is not open yet. */
let socket: { readyState: number; onopen(): void; onmessage(event: { data: string }): void } | undefined;
beforeEach(() => {
  const browser = new EventTarget();
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const)
    vi.stubGlobal(name, browser[name].bind(browser));
  vi.stubGlobal('location', { host: 'pay.example.com', origin: 'https://pay.example.com' });
  vi.stubGlobal('fetch', async () => ({ json: async () => ({ data: session }) }));
  vi.stubGlobal(
    'WebSocket',
    class {
      static OPEN = 1;
      readyState = 0;
      constructor() {
        socket = this as unknown as typeof socket;
      }
      send(text: string) {
        socket?.onmessage({ data: JSON.stringify({ id: JSON.parse(text).id, result: true }) });
      }
      close() {}
    },
  );
});
afterEach(() => {
  socket = undefined;
  vi.unstubAllGlobals();
});

type Page = Parameters<typeof discoverWallets>[0];

function openPage(changes: object = {}) {
  let page = {
    session: { ...session, ...changes },
    view: 'auto',
    choice: null,
    error: null,
    walletConnect: { projectId: 'project', relayUrl: 'wss://relay.example.com' },
  } as unknown as CheckoutPage;
  return {
    shown: () => page,
    show: (change: Partial<CheckoutPage>) => {
      page = { ...page, ...change };
    },
  } as Page;
}

/** A wallet in this browser. The first look of each attempt at its chain waits until it is answered. */
function addWallet(attempts: number, send: () => unknown = () => HASH) {
  const asked: string[] = [];
  const waiting: ((answer: unknown) => void)[] = [];
  const known: Record<string, unknown> = {
    eth_requestAccounts: ['0xa1'],
    eth_chainId: '0x1',
    eth_gasPrice: '0x1',
  };
  const request = async ({ method }: { method: string }) => {
    asked.push(method);
    if (method === 'eth_sendTransaction') return send();
    if (method === 'wallet_getCapabilities') throw new Error('unknown method');
    if (method === 'eth_chainId' && waiting.length < attempts) return new Promise((answer) => waiting.push(answer));
    return known[method] ?? '0xffffffffff';
  };
  addEventListener('eip6963:requestProvider', () =>
    dispatchEvent(
      new CustomEvent('eip6963:announceProvider', {
        detail: { info: { uuid: 'fern', name: 'Fern Wallet' }, provider: { request } },
      }),
    ),
  );
  return { asked, waiting };
}

/** A payment whose page is left the moment the wallet is asked to confirm it. */
async function payAndLeave(waiting: ReturnType<typeof addWallet>['waiting']) {
  const page = openPage();
  discoverWallets(page);
  const { show } = page;
  page.show = (change) => {
    show(change);
    if (change.wallet?.step === 'confirm') queueMicrotask(() => show({ wallet: null }));
  };
  const paid = payByWallet(page, 'fern');
  await vi.waitUntil(() => waiting.length === 1);
  waiting[0]?.('0x1');
  await paid;
  return page;
}

test('a code of a relay that answers late does not replace what was shown since', async () => {
  const page = openPage();
  const paid = payByWallet(page, 'walletconnect');
  await vi.waitUntil(() => socket?.onopen);
  const sent = { step: 'sent', hash: HASH } as const;
  page.show({ wallet: sent });
  Object.assign(socket ?? {}, { readyState: 1 });
  socket?.onopen();
  await paid;
  expect(page.shown().wallet).toBe(sent);
});

test('an attempt that the customer has left asks the wallet for nothing more, and says nothing', async () => {
  const { asked, waiting } = addWallet(2);
  const page = openPage();
  discoverWallets(page);
  const left = payByWallet(page, 'fern');
  await vi.waitUntil(() => waiting.length === 1);
  page.show({ wallet: null });
  const paid = payByWallet(page, 'fern');
  await vi.waitUntil(() => waiting.length === 2);
  const { wallet } = page.shown();

  waiting[0]?.('0x1');
  await left;
  expect(page.shown().wallet).toBe(wallet);
  expect(asked).not.toContain('eth_sendTransaction');
  waiting[1]?.('0x1');
  await paid;
  expect(page.shown().wallet).toEqual({ step: 'sent', hash: HASH });
  expect(asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1);
});

test('what a wallet has sent is said, whatever the page shows by then', async () => {
  const { waiting, asked } = addWallet(1);
  const page = await payAndLeave(waiting);
  expect(asked).toContain('eth_sendTransaction');
  expect(page.shown().wallet).toEqual({ step: 'sent', hash: HASH });
});

test('what a wallet may have sent is said also after the payment was left', async () => {
  const { waiting } = addWallet(1, () => {
    throw new Error('Timeout.');
  });
  const page = await payAndLeave(waiting);
  expect(page.shown().wallet).toMatchObject({ step: 'failed', key: 'wallet_unknown' });
});

test.each([
  ['pay', (page: Page) => payByWallet(page, 'fern')],
  ['choose', (page: Page) => chooseByWallet(page, 'fern', { pay_asset: 'USDC', pay_network: 'ethereum' })],
  ['tell its address', (page: Page) => fillInAddress(page, 'fern')],
  ['sign', (page: Page) => signClaim(page, 'fern', HASH)],
] as const)(
  'a wallet that a test tells to %s is not asked, and one that a live checkout tells is',
  async (_what, use) => {
    const { asked, waiting } = addWallet(1);
    const [tried, live] = [openPage({ livemode: false, options: [] }), openPage({ options: [] })];
    discoverWallets(tried);
    await use(tried);
    expect(asked).toEqual([]);
    void use(live);
    await vi.waitUntil(() => asked.length > 0);
    expect(asked[0]).toBe('eth_requestAccounts');
    waiting[0]?.('0x1');
  },
);
