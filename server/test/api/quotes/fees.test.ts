import { PAY_ASSETS, RECEIVE_ASSETS, type Asset } from '@quittance/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUnits } from '../../../src/platform/money.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

// In whole dollars, from the fixed table.
const DOLLARS: Record<string, bigint> = { USDC: 1n, USDT: 1n, ETH: 2_500n, SOL: 150n };
const CENTS = 4_933n;
const ROUTED_FEE = 74n;

test.each(RECEIVE_ASSETS)(
  'for each of the 17 assets paid into $key, fee, net, expected and actual output of the payment are right to the cent and the unit',
  async (receive) => {
    const wallet = await merchant.createWallet(walletOf(receive));
    const pays = async (pay: Asset) => {
      const isDirect = pay.key === receive.key;
      const session = await merchant.createSession({ payout_wallet_id: wallet.id, amount: '49.33' });
      const { status, payment: id } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
        pay_asset: pay.asset,
        pay_network: pay.network,
        outcome: 'paid',
      });
      expect([pay.key, status]).toEqual([pay.key, 'paid']);

      const payment = await merchant.get(`/payments/${id}`);
      const feeCents = isDirect ? 0n : ROUTED_FEE;
      expect(payment).toMatchObject({
        route: isDirect ? 'direct' : 'routed',
        amount: '49.33',
        pay_asset: pay.asset,
        pay_network: pay.network,
        receive_asset: receive.asset,
        receive_network: receive.network,
        service_fee: isDirect ? '0.00' : '0.74',
        net_settlement: isDirect ? '49.33' : '48.59',
      });
      const dividend = (CENTS - feeCents) * 10n ** BigInt(receive.decimals);
      const divisor = 100n * (DOLLARS[receive.asset] as bigint);
      const expected = parseUnits(payment.expected_output, receive.decimals);
      const actual = parseUnits(payment.actual_output, receive.decimals) as bigint;
      expect(expected).toBe(isDirect ? (dividend + divisor - 1n) / divisor : dividend / divisor);
      // The amount due or ordered has a suffix of less than five cents, which identifies it.
      const tail = actual - (expected as bigint);
      expect(tail > 0n && tail < (5n * 10n ** BigInt(receive.decimals)) / divisor + 1n).toBe(true);
    };
    await Promise.all(PAY_ASSETS.map(pays));
    expect(PAY_ASSETS.length).toBe(17);
  },
  60_000,
);

function walletOf({ asset, network }: Asset) {
  return {
    asset,
    network,
    address:
      network === 'solana'
        ? '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
        : '0x52908400098527886E0F7030069857D2E4169EE7',
  };
}
