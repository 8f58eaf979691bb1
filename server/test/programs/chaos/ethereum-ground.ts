import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import { startAnvil } from '../../support/anvil.ts';
import type { Ground } from './ground.ts';

const NETWORKS = ['ethereum', 'base'] as const;
type Network = (typeof NETWORKS)[number];
const CONFIRMATIONS = 3;
const WALLETS_PER_NETWORK = 5;

/** Two EVM chains at once, paid in USDC. */
export async function ethereumGround(random: () => number): Promise<Ground> {
  const stack = new AsyncDisposableStack();
  const chains = {
    ethereum: stack.use(await startAnvil({ chainId: 4001 })),
    base: stack.use(await startAnvil({ chainId: 4002 })),
  };
  const tokens = { ethereum: await chains.ethereum.deployToken(), base: await chains.base.deployToken() };
  const pick = <T>(some: readonly T[]) => some[Math.floor(random() * some.length)] as T;

  return {
    env: Object.assign(
      {},
      ...NETWORKS.map((network) => {
        const name = network.toUpperCase();
        return {
          [`RPC_${name}_URLS`]: chains[network].url,
          [`CHAIN_ID_${name}`]: String(chains[network].chainId),
          [`CONFIRMATIONS_${name}`]: String(CONFIRMATIONS),
          [`TOKEN_USDC_${name}`]: tokens[network],
        };
      }),
    ),
    wallets: NETWORKS.flatMap((network) =>
      Array.from({ length: WALLETS_PER_NETWORK }, () => ({
        asset: 'USDC',
        network,
        address: getAddress(toHex(randomBytes(20))),
      })),
    ),
    async send({ network, address, payment }) {
      const due = BigInt(payment.amount.replace('.', ''));
      const tag = Buffer.from((payment.tag ?? '').slice(2), 'hex');
      const send = (amount: bigint, withTag: boolean) =>
        chains[network as Network].transferErc20({
          token: tokens[network as Network],
          to: address as Address,
          amount,
          from: pick(chains[network as Network].accounts.slice(1)).address,
          mine: false,
          ...(withTag && { tag }),
        });
      const way = random();
      return way < 0.6
        ? [await send(due, false)]
        : way < 0.85
          ? [await send(due, true)]
          : [await send(due / 3n, true), await send(due - due / 3n, true)];
    },
    mine: () => chains[pick(NETWORKS)].mine(1 + Math.floor(random() * 2)),
    async settle() {
      for (const network of NETWORKS) await chains[network].mine(CONFIRMATIONS);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
