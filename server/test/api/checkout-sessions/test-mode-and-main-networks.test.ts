import { afterAll, beforeAll, expect, test } from 'vitest';
import { NETWORKS, PAY_ASSETS, RECEIVE_ASSETS } from '@quittance/contract';
import { base58 } from '@scure/base';
import { getAddressInfo } from 'bitcoin-address-validation';
import type { TestAnswer } from '../../support/app.ts';
import { type DashboardTest, startDashboard } from '../../support/dashboard.ts';
import { challengesIn, machineClient, requestOf } from '../../support/machine-client.ts';

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const PAYER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const SOLANA = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';

/** What wallets and programs would understand as a main network: its chain, or a token that exists only there. */
const MAIN_NETWORKS = Object.values(NETWORKS).flatMap((row) => [
  ...(row.family === 'evm'
    ? [`eip155:${row.chainId}"`, `"chainId":${row.chainId},`, `@${row.chainId}/`, `@${row.chainId}?`]
    : []),
  ...Object.values(row.assets).flatMap((asset: { address?: string }) => asset.address?.toLowerCase() ?? []),
]);

let t: DashboardTest;
beforeAll(async () => {
  t = await startDashboard();
});
afterAll(() => t.app.stop());

function mainNetworksIn(text: string): string[] {
  return MAIN_NETWORKS.filter((name) => text.toLowerCase().includes(name.toLowerCase()));
}

function everythingIn(answer: TestAnswer): string {
  const requests = answer.headers['www-authenticate'] ? challengesIn(answer).map(requestOf) : [];
  const required = String(answer.headers['payment-required'] ?? '');
  return [answer.raw, JSON.stringify(requests), Buffer.from(required, 'base64').toString()].join('\n');
}

test.each(RECEIVE_ASSETS.map(({ asset, network }) => [asset, network] as const))(
  'nothing that a test in %s on %s tells wallets and programs can be carried out on a main network',
  async (asset, network) => {
    const merchant = await t.app.newMerchant();
    await merchant.dashboard.patch('/account', { paymaster_url: 'https://paymaster.example/v1/key' });
    const [address, payer] = network === 'solana' ? [SOLANA, SOLANA] : [EVM, PAYER];
    const wallet = await merchant.createWallet({ asset, network, address });
    const session = await merchant.createSession({ payout_wallet_id: wallet.id });
    const { id } = session;
    const page = `/checkout/${id}`;
    const open = (method: 'GET' | 'POST', path: string, body?: object) => t.app.inject(method, path, { body });

    // Before and after the customer has chosen.
    const { ask } = machineClient(t.app.inject);
    const offers = [await ask(id)];
    const choice = { pay_asset: asset, pay_network: network, sender: payer };
    const chosen = await open('POST', `/v1/public/checkout/sessions/${id}/pay`, choice);
    expect(chosen.status).toBe(200);
    offers.push(await ask(id));
    for (const offer of offers) expect(mainNetworksIn(everythingIn(offer))).toEqual([]);

    const authorization = await open('GET', `${page}/authorization?payer=${payer}`);
    expect(mainNetworksIn(authorization.raw)).toEqual([]);
    // What only moves money on a main network does not exist in test mode.
    const refused = await Promise.all([
      open('POST', `/v1/public/checkout/sessions/${id}/transaction`, { sender: payer }),
      open('GET', `${page}/solana-pay`),
      open('POST', `${page}/solana-pay`, { account: payer }),
    ]);
    expect(refused.map(({ body }) => body.error.code)).toEqual(refused.map(() => 'invalid_payment_state'));
    const paymaster = await t.app.inject('POST', `${page}/paymaster`, {
      headers: { origin: new URL(t.app.ctx.config.publicUrl).origin },
    });
    expect(paymaster.body).toEqual({ url: null });
    expect((await merchant.dashboard.post(`/payout-wallets/${wallet.id}/prove`)).transfer ?? null).toBeNull();
    const html = (await t.app.inject('GET', page)).raw;
    expect(mainNetworksIn(html)).toEqual([]);
    expect(html).not.toMatch(/href="(ethereum|solana|bitcoin|wc):|solana:http/);

    await t.pay(session, 'paid');
    const [{ id: payment }] = (await merchant.get('/payments')).data;
    const refund = { to: payer, amount: '1' };
    const plan = await t.dashboard(
      merchant,
      `/dashboard/api/payments/${payment}/refund-plan?${new URLSearchParams(refund)}`,
    );
    expect(mainNetworksIn(JSON.stringify(plan))).toEqual([]);
    const built = await t.app.inject('POST', `/dashboard/api/payments/${payment}/refund-transaction`, {
      body: { from: address, ...refund },
      headers: {
        cookie: `session=${merchant.loginToken}`,
        'service-mode': 'test',
        'sec-fetch-site': 'same-origin',
      },
    });
    expect(built.body.error.code).toBe('invalid_payment_state');
  },
);

test.each(PAY_ASSETS.filter(({ key }) => key !== 'USDC_BASE').map(({ asset, network }) => [asset, network] as const))(
  'no wallet takes the address of a test that is converted from %s on %s for one of the main network',
  async (asset, network) => {
    const { id } = await t.app.merchant.createSession();
    const chosen = await t.app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
      body: { pay_asset: asset, pay_network: network, refund_address: REFUND[network] ?? EVM },
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
  tron: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
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
