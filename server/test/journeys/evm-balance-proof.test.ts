import { expect, test } from 'vitest';
import { calldata, startAnvil } from '../support/anvil.ts';
import { startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { startSettlement } from '../support/settlement.ts';

test('one payment inside a contract does not pay for two, though the only provider that traces shows two', async () => {
  await using chain = await startAnvil();
  await using liar = await startRpcProxy(chain.url);
  await using one = await startRpcProxy(chain.url);
  await using two = await startRpcProxy(chain.url);
  for (const honest of [one, two]) honest.refused = ['debug_', 'trace_'];
  await using shop = await startSettlement({
    chain,
    env: { RPC_ETHEREUM_URLS: [liar, one, two].map(({ url }) => url).join(',') },
  });
  const { id: wallet } = await shop.merchant.createWallet({ asset: 'ETH', network: 'ethereum', address: shop.wallet });
  const order = (amount: string) => shop.checkout({ amount, payout_wallet_id: wallet }, { pay_asset: 'ETH' });
  const forwarder = await chain.deploy('Forwarder');
  await shop.settle();
  const honest = await order('40.00');
  await chain.sendEth({
    to: forwarder,
    amount: honest.amountUnits,
    data: calldata('Forwarder', 'forward', [shop.wallet]),
  });
  await shop.settle();
  expect(await shop.walk(honest.id)).toEqual(['created', 'pending', 'paid']);

  const [large, small] = [await order('60.00'), await order('50.00')];
  liar.forge = { token: shop.usdc, to: shop.wallet, amountUnits: small.amountUnits };
  liar.suffer('forged_frames');
  await chain.sendEth({
    to: forwarder,
    amount: large.amountUnits,
    data: calldata('Forwarder', 'forward', [shop.wallet]),
  });
  await shop.settle();
  await shop.settle();
  expect((await shop.publicSession(small.id)).payment.amount_seen).not.toBe('0.000000000000000000');
  expect(await shop.walk(small.id)).toEqual(['created', 'pending']);
});
