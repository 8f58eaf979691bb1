import {
  EXTRA_ASSET_KEYS,
  findAssetByKey,
  NETWORKS,
  PAY_ASSETS,
  RECEIVE_ASSETS,
  type ReceiveNetwork,
} from '@quittance/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isBelowCent } from '../../src/settlement/reading/select-transfers.ts';
import { startApp, type TestApp } from '../support/index.ts';

type Data = any;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** An address that no one has saved, in the form of the network. */
const ADDRESSES = {
  evm: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e',
  solana: 'GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse',
  tron: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  bitcoin: '',
};

describe.each(EXTRA_ASSET_KEYS)('%s', (key) => {
  const { asset, network, decimals } = findAssetByKey(key) as Data;
  const address = ADDRESSES[NETWORKS[network as keyof typeof NETWORKS].family];
  let wallet: Data;
  let session: Data;
  beforeAll(async () => {
    wallet = await app.merchant.createWallet({ asset, network, address });
    session = await app.merchant.createSession({ payout_wallet_id: wallet.id, amount: '40.00' });
  });

  test('can be received, and stands behind the Safe List', () => {
    expect(wallet).toMatchObject({
      asset,
      network,
      address,
      label: `${asset} on ${NETWORKS[wallet.network as 'bnb'].name}`,
    });
    expect(PAY_ASSETS.findIndex((one) => one.key === key)).toBeGreaterThanOrEqual(
      PAY_ASSETS.findIndex(({ key: first }) => first === 'ETH_ETHEREUM'),
    );
    expect(session.accepted_assets).toContain(key);
    expect(session.deposit_addresses[0]).toMatchObject({ asset, network, address, kind: 'direct' });
  });

  test('pays a checkout in test mode, with a receipt and identifiers of its network', async () => {
    const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
      body: { pay_asset: asset, pay_network: network },
    });
    expect(body.data.payment).toMatchObject({ kind: 'direct', asset, network, address });
    expect(body.data.payment.amount.split('.')[1]).toHaveLength(decimals);
    await app.merchant.post(`/test-helpers/checkout/sessions/${session.id}/pay`, {
      pay_asset: asset,
      pay_network: network,
      outcome: 'paid',
    });
    const paid = await app.merchant.get(`/checkout/sessions/${session.id}`);
    expect(paid.status).toBe('paid');
    const payment = await app.merchant.get(`/payments/${paid.payment}`);
    expect(payment.network_caip2).toMatch(/^(eip155|solana|tron):/);
    expect(payment.asset_caip19).toMatch(new RegExp(`^${payment.network_caip2}/(erc20|token|trc20):`));
    expect(payment.receive_address_caip10).toBe(`${payment.network_caip2}:${address}`);
  });
});

test.each(RECEIVE_ASSETS.filter(({ asset }) => asset.startsWith('USD')))(
  'less than a cent of $key is dust, by the decimals of the token',
  ({ asset, network, decimals }) => {
    const cent = 10n ** BigInt(decimals - 2);
    const isDust = (amountUnits: bigint) => isBelowCent({ asset, network: network as ReceiveNetwork, amountUnits });
    expect([isDust(cent - 1n), isDust(cent)]).toEqual([true, false]);
  },
);

test('the published API and the dashboard name what is offered', async () => {
  const { body: document } = await app.inject('GET', '/v1/openapi.json');
  const text = JSON.stringify(document);
  for (const key of EXTRA_ASSET_KEYS) expect(text).toContain(`"${key}"`);
  const { body } = await app.inject('GET', '/dashboard/api/assets', {
    headers: { cookie: `session=${app.merchant.loginToken}`, 'service-mode': 'test' },
  });
  expect(body.data.receive.map(({ key }: Data) => key)).toEqual(RECEIVE_ASSETS.map(({ key }) => key));
  expect(body.data.pay.map(({ key }: Data) => key)).toEqual(PAY_ASSETS.map(({ key }) => key));
});
