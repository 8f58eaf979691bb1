import type { KeyPairSigner } from '@solana/kit';
import { type TestApp, startApp } from '../app.ts';
import { type SettleAnswer, startFacilitator, type TestFacilitator } from '../facilitator.ts';
import { machineClient } from '../machine-client.ts';
import type { Merchant } from '../merchant.ts';
import { walkOf } from '../payments.ts';
import { startSolana, type TestSolana } from './index.ts';

type Data = any;

/** A live shop on a local cluster with automatic slots, watched by the real loops. */
export interface SolanaMachineShop extends AsyncDisposable {
  app: TestApp;
  cluster: TestSolana;
  usdc: string;
  /** The merchant's payout wallet; it has its token account. */
  wallet: KeyPairSigner;
  payer: KeyPairSigner;
  /** Pays the fees of the facilitator. */
  sponsor: KeyPairSigner;
  merchant: Merchant;
  facilitator: TestFacilitator;
  client: ReturnType<typeof machineClient>;
  caip2: string;
  session(fields?: Record<string, unknown>): Promise<Data>;
  walk(sessionId: string): Promise<string[]>;
}

/** Published clients reject an unknown cluster. */
const DEVNET_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

export type SolanaSettle = (
  cluster: TestSolana,
  sponsor: KeyPairSigner,
) => (payload: Data, requirements: Data) => Promise<SettleAnswer>;

export async function startSolanaMachineShop(settle: SolanaSettle): Promise<SolanaMachineShop> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startSolana({ slotMs: 200, genesisHash: DEVNET_GENESIS }));
  // A single provider is read a second time 32 blocks behind its head, and those are there.
  cluster.slots(40);
  const usdc = await cluster.createMint();
  const [payer, wallet, sponsor] = [
    await cluster.newWallet(),
    await cluster.newWallet(),
    await cluster.newWallet(1_000_000_000n),
  ];
  await cluster.mint(usdc, payer.address, 1_000_000_000_000n);
  await cluster.mint(usdc, wallet.address, 1n);
  const caip2 = `solana:${cluster.genesisHash.slice(0, 32)}`;
  const kinds = [{ x402Version: 2, scheme: 'exact', network: caip2, extra: { feePayer: sponsor.address } }];
  const facilitator = stack.use(await startFacilitator(kinds, settle(cluster, sponsor)));
  const app = stack.use(
    await startApp({
      work: true,
      env: {
        RPC_SOLANA_URLS: cluster.url,
        GENESIS_SOLANA: cluster.genesisHash,
        TOKEN_USDC_SOLANA: usdc,
        X402_FACILITATOR_SOLANA_URL: facilitator.url,
      },
    }),
  );
  const merchant = app.merchant.live;
  await merchant.createWallet({ asset: 'USDC', network: 'solana', address: wallet.address });
  return {
    app,
    cluster,
    usdc,
    wallet,
    payer,
    sponsor,
    merchant,
    facilitator,
    client: machineClient(app.inject),
    caip2,
    session: (fields = {}) => merchant.createSession(fields),
    walk: (sessionId) => walkOf(app.ctx.db, sessionId),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
