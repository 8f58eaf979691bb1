import { startSolana } from '../../support/solana/index.ts';
import type { Ground } from './ground.ts';

const WALLETS = 5;
const RICH = 1_000_000_000_000_000n;
/** Nodes keep far more than the second pass reads again. */
const KEPT_SLOTS = 64;

/** A cluster around the real runtime, paid in USDC and SOL. */
export async function solanaGround(random: () => number): Promise<Ground> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startSolana());
  const usdc = await cluster.createMint();
  const customer = await cluster.newWallet(RICH);
  await cluster.mint(usdc, customer.address, RICH);
  cluster.slots(KEPT_SLOTS);
  const addresses = await Promise.all(Array.from({ length: WALLETS }, async () => (await cluster.newWallet()).address));

  return {
    env: { RPC_SOLANA_URLS: cluster.url, GENESIS_SOLANA: cluster.genesisHash, TOKEN_USDC_SOLANA: usdc },
    wallets: addresses.flatMap((address) => ['USDC', 'SOL'].map((asset) => ({ asset, network: 'solana', address }))),
    async send({ asset, address: to, payment }) {
      const due = BigInt(payment.amount.replace('.', ''));
      const send = (amount: bigint, withReference: boolean) => {
        const request = {
          to,
          amount,
          from: customer,
          close: random() < 0.3,
          ...(withReference && { references: [payment.reference] }),
        };
        return asset === 'SOL' ? cluster.transferSol(request) : cluster.transferToken({ ...request, mint: usdc });
      };
      const way = random();
      return way < 0.6
        ? [await send(due, false)]
        : way < 0.85
          ? [await send(due, true)]
          : [await send(due / 3n, true), await send(due - due / 3n, true)];
    },
    async mine() {
      cluster.slots(1 + Math.floor(random() * 3), { skip: random() < 0.2 ? 1 : 0 });
    },
    async settle() {
      cluster.slots(1);
      cluster.finalize();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
