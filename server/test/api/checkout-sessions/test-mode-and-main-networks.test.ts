import { afterAll, beforeAll, expect, test } from 'vitest';
import { NETWORKS, RECEIVE_ASSETS } from '@quittance/contract';
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
