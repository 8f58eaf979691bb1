import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChainFamily, NETWORKS, PAY_ASSETS, RECEIVE_ASSETS, RECEIVE_NETWORKS } from '@quittance/contract';
import { base58 } from '@scure/base';
import { getAddressInfo } from 'bitcoin-address-validation';
import { caip2 } from '../../src/outside/chains/caip.ts';
import type { Chain } from '../../src/outside/chains/chain.ts';
import type { TestAnswer } from '../support/app.ts';
import { type DashboardTest, startDashboard } from '../support/dashboard.ts';
import { challengesIn, machineClient, requestOf } from '../support/machine-client.ts';
import type { Merchant } from '../support/merchant.ts';

type Data = any;

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER_EVM = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const SOLANA = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';
const TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
/** Of the merchant and of the customer, on each network that a wallet of the merchant can be on. */
const ADDRESSES: Partial<Record<ChainFamily, readonly [string, string]>> = {
  evm: [EVM, OTHER_EVM],
  solana: [SOLANA, 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
  tron: [TRON, 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC'],
};
const PROJECT = 'ab'.repeat(16);

/** What wallets and programs would understand as a main network: its chain, or a token that exists only there. */
const MAIN_NETWORKS = [
  ...Object.values(NETWORKS).flatMap((row) => [
    ...(row.family === 'evm'
      ? [`eip155:${row.chainId}"`, `"chainId":${row.chainId},`, `@${row.chainId}/`, `@${row.chainId}?`]
      : []),
    ...Object.values(row.assets).flatMap((asset: { address?: string }) => asset.address ?? []),
  ]),
  ...(['solana', 'tron'] as const).map((network) => caip2(network, { chainId: null, genesisHash: null, tokens: {} })),
].map((name) => name.toLowerCase());

/** Without one, a refusal to build a transaction would say nothing of test mode. */
const BUILDER = { buildTransfer: async () => 'AQ==', close: async () => {} } as Partial<Chain> as Chain;

let t: DashboardTest;
beforeAll(async () => {
  t = await startDashboard({
    env: { WALLETCONNECT_PROJECT_ID: PROJECT },
    overrides: { chains: new Map(RECEIVE_NETWORKS.map((network) => [network, BUILDER])) },
  });
});
afterAll(() => t.app.stop());

function mainNetworksIn(text: string): string[] {
  const lower = text.toLowerCase();
  return MAIN_NETWORKS.filter((name) => lower.includes(name));
}

function everythingIn(answer: TestAnswer): string {
  const requests = answer.headers['www-authenticate'] ? challengesIn(answer).map(requestOf) : [];
  const required = String(answer.headers['payment-required'] ?? '');
  return [answer.raw, JSON.stringify(requests), Buffer.from(required, 'base64').toString()].join('\n');
}

const open = (method: 'GET' | 'POST', path: string, body?: object) => t.app.inject(method, path, { body });
/** As a browser shows it. */
const page = async (path: string) => {
  const { status, raw } = await t.app.inject('GET', path, { headers: { accept: 'text/html' } });
  expect([path, status]).toEqual([path, 200]);
  return String(raw);
};

describe.each(RECEIVE_ASSETS.map(({ asset, network }) => [asset, network] as const))('%s on %s', (asset, network) => {
  const sale = `a test in ${asset} on ${network}`;
  const [address, payer] = ADDRESSES[NETWORKS[network].family] ?? ['', ''];
  let merchant: Merchant;
  let wallet: Data;
  let session: Data;
  let paying: Promise<string> | undefined;
  /** The payment of the session, which is paid by then. */
  const paid = () =>
    (paying ??= (async () => {
      await t.pay(session, 'paid');
      return (await merchant.get(`/checkout/sessions/${session.id}`)).payment;
    })());
  beforeAll(async () => {
    merchant = await t.app.newMerchant();
    await merchant.dashboard.patch('/account', { paymaster_url: 'https://paymaster.example/v1/key' });
    wallet = await merchant.createWallet({ asset, network, address });
    session = await merchant.createSession({ payout_wallet_id: wallet.id });
  });

  test(`${sale} tells wallets and programs nothing that can be carried out on a main network`, async () => {
    const { id } = session;
    // Before and after the customer has chosen.
    const { ask } = machineClient(t.app.inject);
    const told = [await ask(id)];
    const choice = { pay_asset: asset, pay_network: network, sender: payer };
    const chosen = await open('POST', `/v1/public/checkout/sessions/${id}/pay`, choice);
    expect(chosen.status).toBe(200);
    told.push(chosen, await ask(id), await open('GET', `/checkout/${id}/authorization?payer=${payer}`));
    for (const answer of told) expect(mainNetworksIn(everythingIn(answer))).toEqual([]);

    // What only moves money on a main network does not exist in test mode.
    const refused = await Promise.all([
      open('POST', `/v1/public/checkout/sessions/${id}/transaction`, { sender: payer }),
      open('GET', `/checkout/${id}/solana-pay`),
      open('POST', `/checkout/${id}/solana-pay`, { account: payer }),
    ]);
    expect(refused.map(({ body }) => body.error?.code)).toEqual(refused.map(() => 'invalid_payment_state'));
    const paymaster = await t.app.inject('POST', `/checkout/${id}/paymaster`, {
      headers: { origin: new URL(t.app.ctx.config.publicUrl).origin },
    });
    expect(paymaster.body).toEqual({ url: null });
    const html = await page(`/checkout/${id}`);
    expect(mainNetworksIn(html)).toEqual([]);
    expect(html).not.toMatch(/href="(ethereum|solana|bitcoin|wc):|solana:http/);
    expect(html).not.toContain(PROJECT);
  });

  test(`${sale} gives the merchant nothing to send or to sign that counts on a main network`, async () => {
    expect((await merchant.dashboard.post(`/payout-wallets/${wallet.id}/prove`)).transfer ?? null).toBeNull();
    const payment = await paid();
    const refund = { to: payer, amount: '1' };
    const plan = await t.dashboard(
      merchant,
      `/dashboard/api/payments/${payment}/refund-plan?${new URLSearchParams(refund)}`,
    );
    expect(mainNetworksIn(JSON.stringify(plan))).toEqual([]);
    const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
      const headers = {
        cookie: `session=${merchant.loginToken}`,
        'service-mode': 'test',
        'sec-fetch-site': 'same-origin',
      };
      return (await t.app.inject(method, `/dashboard/api/${path}`, { headers, ...(body && { body }) })).body;
    };
    const planned = await merchant.post(`/payments/${payment}/refunds`, { amount: '0.10', to: payer });
    await ask('POST', 'payouts', { csv: `${payer},${asset},${network},1,`, import: 'all' });
    const [payout] = (await ask('GET', 'payouts')).data;
    const from = address;
    const built = [
      await ask('POST', `payments/${payment}/refund-transaction`, { from, ...refund }),
      await ask('POST', 'refunds/send', { refunds: [planned.id], from }),
      await ask('POST', 'payouts/send', { payouts: [payout.id], from, holder: 'browser' }),
    ];
    expect(built.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('live Solana payments'),
      'In test mode there is nothing to send.',
      'In test mode there is nothing to send.',
    ]);
  });

  test(`${sale} shows nothing of a main network before it is opened by a link`, async () => {
    const { id } = await merchant.createLink({ payout_wallet_id: wallet.id });
    const visits = [await page(`/pay/${id}`), everythingIn(await open('POST', `/pay/${id}`))];
    for (const text of visits) expect(mainNetworksIn(text)).toEqual([]);
  });

  test(`${sale} shows nothing of a main network once it is paid, and asks no wallet where its refund goes`, async () => {
    const { link } = await merchant.post(`/payments/${await paid()}/refunds`, { amount: '0.10', link: {} });
    const { id } = session;
    const pages = await Promise.all([`/checkout/${id}`, `/receipt/${id}`, new URL(link.url).pathname].map(page));
    for (const html of pages) expect(mainNetworksIn(html)).toEqual([]);
    expect(pages[2]).toContain('name="address"');
    expect(pages[2]).not.toContain('id="page-state"');
  });
});

test.each(PAY_ASSETS.filter(({ key }) => key !== 'USDC_BASE').map(({ asset, network }) => [asset, network] as const))(
  'no wallet takes the address of a test that is converted from %s on %s for one of the main network',
  async (asset, network) => {
    const { id } = await t.app.merchant.createSession();
    const chosen = await t.app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
      body: { pay_asset: asset, pay_network: network, refund_address: REFUND[network] ?? OTHER_EVM },
    });
    expect(chosen.body.error).toBeUndefined();
    const { address, kind } = chosen.body.data.payment;
    expect(kind).toBe('routed');
    expect(familiesThatTake(address)).toEqual([]);
    const { deposit_addresses } = await t.app.merchant.get(`/checkout/sessions/${id}`);
    const own = deposit_addresses.find((one: { kind: string }) => one.kind === 'routed');
    expect(own.address).toBe(address);
    expect((await t.app.inject('GET', `/checkout/${id}`)).raw.includes(COPY_ADDRESS)).toBe(true);
  },
);

test('the address of the merchant, which takes real money, cannot be copied from the page of a test', async () => {
  const { id } = await t.app.merchant.createSession();
  await t.app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  const html = (await t.app.inject('GET', `/checkout/${id}`)).raw;
  const shown = (text: string) => html.slice(0, html.indexOf('</main>')).includes(text);
  expect(shown(' data-address')).toBe(true);
  expect(shown(COPY_ADDRESS)).toBe(false);
  expect(shown('This address can’t be copied')).toBe(true);
  expect(shown('aria-label="Copy amount"')).toBe(true);
});

const COPY_ADDRESS = 'aria-label="Copy address"';
const REFUND: Partial<Record<string, string>> = {
  bitcoin: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  solana: SOLANA,
  tron: TRON,
};

/** The families whose wallets could send to a text, each read as leniently as any wallet does. */
function familiesThatTake(text: string): string[] {
  const reads = (read: () => boolean) => {
    try {
      return read();
    } catch {
      return false;
    }
  };
  const takes = {
    // Some wallets add the prefix, and some ignore the checksum.
    evm: reads(() => /^(0x)?[0-9a-f]{40}$/i.test(text)),
    solana: reads(() => base58.decode(text).length === 32),
    bitcoin: reads(() => getAddressInfo(text).network === 'mainnet'),
    tron: reads(() => base58.decode(text).length === 25) || /^(0x)?41[0-9a-f]{40}$/i.test(text),
  };
  return Object.entries(takes).flatMap(([family, taken]) => (taken ? [family] : []));
}

test('the readers of these tests take real addresses', () => {
  expect([EVM, SOLANA, REFUND.bitcoin, REFUND.tron].map((text) => familiesThatTake(text as string))).toEqual([
    ['evm'],
    ['solana'],
    ['bitcoin'],
    ['tron'],
  ]);
});
