import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import { lookUpWalletsJob } from '../../../src/resources/payout-wallets/look-up-address.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

test('wallets on a network that no provider serves delay the look-up of no wallet on another', async () => {
  await using net = await FakeNetwork.start();
  for (let at = 0; at < 25; at += 1)
    await net.app.merchant.live.createWallet({
      asset: 'USDC',
      network: 'ethereum',
      address: getAddress(net.random.hex(20)),
    });
  const { id } = await net.wallet();
  await net.ctx.db.query(
    'test_unknown_wallets',
    `update payout_wallets set needs_proof = true, look_up_at = case network when 'base' then $1 else $2 end::timestamptz`,
    [net.now, later(net.now, -MINUTE_MS)],
  );
  const dead: Chain['accountKindOf'] = async () => {
    throw new TemporaryError('no provider answered');
  };
  const chains: typeof net.ctx.chains = new Map([
    ['ethereum', { ...net.fake.chain, network: 'ethereum', accountKindOf: dead }],
    ['base', { ...net.fake.chain, accountKindOf: async () => null }],
  ]);
  await lookUpWalletsJob.run({ ...net.ctx, chains }, new AbortController().signal, () => {});
  expect(await net.app.merchant.live.get(`/payout-wallets/${id}`)).toMatchObject({
    looked_up: true,
    proof: 'not_required',
  });
});
