import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoBytes } from '../../src/outside/chains/pure/memo.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { calldata, startAnvil, type TestChain } from '../support/anvil.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { openCheckout } from '../support/open-checkout.ts';

type Data = any;
/** The networks whose USDT a customer may confuse, and the contract of each. */
const CONTRACTS = { bnb: 'PeggedToken', polygon: 'TestToken', tempo: 'MemoToken' } as const;
type Net = keyof typeof CONTRACTS;
const NETWORKS = Object.keys(CONTRACTS) as Net[];

const nodes = {} as Record<Net, TestChain>;
const tokens = {} as Record<Net, Address>;
let app: TestApp;

beforeAll(async () => {
  for (const [at, network] of NETWORKS.entries()) {
    nodes[network] = await startAnvil({ chainId: 5_601 + at });
    tokens[network] = await nodes[network].deployToken({ symbol: 'USDT', contract: CONTRACTS[network] });
  }
  const settings = NETWORKS.flatMap((network) => {
    const name = network.toUpperCase();
    return [
      [`RPC_${name}_URLS`, nodes[network].url],
      [`CHAIN_ID_${name}`, String(nodes[network].chainId)],
      [`TOKEN_USDT_${name}`, tokens[network]],
    ];
  });
  app = await startApp({ env: Object.fromEntries(settings) });
  // Only networks on which someone is paid are read.
  for (const network of NETWORKS)
    await openCheckout(app, { asset: 'USDT', network, address: getAddress(toHex(randomBytes(20))) });
});
afterAll(async () => {
  await app.stop();
  await Promise.all(NETWORKS.map((network) => nodes[network].stop()));
});

test.each(NETWORKS)(
  'a transfer that arrives on another network than %s pays nothing and is shown as that',
  async (own) => {
    const { live } = app.merchant;
    const to = getAddress(toHex(randomBytes(20)));
    const { payment, shown } = await openCheckout(app, { asset: 'USDT', network: own, address: to });
    const { amount, tag, reference } = payment;
    const [first, second] = NETWORKS.filter((network) => network !== own) as [Net, Net];
    for (const network of [first, second]) {
      // As many whole coins, and once the same number of base units.
      const decimals = network === 'bnb' ? 18 : 6;
      const units = BigInt(Math.round(Number(amount) * 1e6)) * 10n ** BigInt(decimals - 6);
      await nodes[network].transferErc20({
        token: tokens[network],
        to,
        amount: units,
        ...(tag && { tag: Buffer.from(tag.slice(2), 'hex') }),
      });
    }
    if (own !== 'tempo') {
      const memo = memoBytes(Buffer.from(tag.slice(10), 'hex').toString('hex'));
      const data = calldata('MemoToken', 'transferWithMemo', [to, 40_000_000n, memo]);
      await nodes.tempo.send({ to: tokens.tempo, data });
    } else expect(reference).toHaveLength(32);

    const watcher = createWatcher('test');
    for (const network of NETWORKS) {
      await nodes[network].mine(4);
      while ((await tick(app.ctx, network, watcher)) === 'more');
    }
    expect(await shown()).toMatchObject({
      status: 'pending',
      payment: { amount_seen: expect.stringMatching(/^0\.0+$/) },
    });
    const { data } = await live.get('/transfers', { unattributed: 'true', limit: 100 });
    const found = data.filter((transfer: Data) => transfer.to === to);
    expect(found.map(({ network, reason }: Data) => `${network} ${reason}`).sort()).toEqual(
      [first, second, ...(own === 'tempo' ? [] : ['tempo'])].map((network) => `${network} wrong_network`).sort(),
    );
  },
);
