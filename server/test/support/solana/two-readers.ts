import { base58 } from '@scure/base';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import { pino } from 'pino';
import { expect } from 'vitest';
import type { BlockRef, Chain, Reading } from '../../../src/outside/chains/chain.ts';
import { createSolanaChain } from '../../../src/outside/chains/solana/chain.ts';
import { startSolana, type TestSolana, TOKEN_PROGRAM } from './index.ts';
import { tokenTransfer } from './transactions.ts';

type Found = Pick<Reading, 'transfers' | 'reverted'>;

/** A local cluster with two watched wallets, read wallet by wallet and by whole blocks. */
export class TwoReaders implements AsyncDisposable {
  readonly cluster: TestSolana;
  readonly usdc: string;
  readonly merchant: KeyPairSigner;
  readonly other: KeyPairSigner;
  readonly customer: KeyPairSigner;
  readonly chains: readonly Chain[];
  /** Transfers are read from the block after this one. */
  private before: BlockRef;

  static async start(): Promise<TwoReaders> {
    const cluster = await startSolana();
    const usdc = await cluster.createMint();
    const wallets = [await cluster.newWallet(), await cluster.newWallet(), await cluster.newWallet()] as const;
    for (const wallet of wallets) await cluster.mint(usdc, wallet.address, 1_000_000_000_000n);
    return new TwoReaders(cluster, usdc, wallets);
  }

  private constructor(
    cluster: TestSolana,
    usdc: string,
    [merchant, other, customer]: readonly [KeyPairSigner, KeyPairSigner, KeyPairSigner],
  ) {
    this.cluster = cluster;
    this.usdc = usdc;
    this.merchant = merchant;
    this.other = other;
    this.customer = customer;
    this.before = cluster.head();
    this.chains = [{}, { wholeBlocksAbove: 0, historiesPerBlock: 0 }].map((tuning) =>
      createSolanaChain(
        {
          rpcUrls: [cluster.url],
          genesisHash: cluster.genesisHash,
          tokens: { USDC: usdc },
          tuning: { historiesPerSecond: Number.POSITIVE_INFINITY, ...tuning },
        },
        pino({ level: 'silent' }),
      ),
    );
  }

  /** Leaves out the transfers up to now. */
  begin(): void {
    this.before = this.cluster.head();
  }

  /** What both ways of reading find since the test began; they must agree. */
  async seen(watched: readonly KeyPairSigner[] = [this.merchant, this.other]): Promise<Found> {
    const [byWallet, byBlock] = await Promise.all(
      this.chains.map(async (chain) => {
        const reading = await chain.read({
          after: this.before,
          until: await chain.head('first'),
          watching: { addresses: new Set(watched.map((wallet) => wallet.address)) },
          pass: 'first',
        });
        return { transfers: reading.transfers, reverted: reading.reverted };
      }),
    );
    expect(byWallet).toEqual(byBlock);
    return byWallet as Found;
  }

  async money(watched?: readonly KeyPairSigner[]) {
    const { transfers } = await this.seen(watched);
    return transfers.map(({ asset, from, to, amountUnits }) => ({ asset, from, to, amountUnits }));
  }

  account(owner: KeyPairSigner, mint = this.usdc): Promise<Address> {
    return this.cluster.tokenAccount(mint, owner.address);
  }

  async pay(
    to: KeyPairSigner,
    amount: bigint,
    references: readonly string[] = [],
    from = this.customer,
  ): Promise<Instruction> {
    return tokenTransfer({
      source: await this.account(from),
      mint: this.usdc,
      destination: await this.account(to),
      authority: from,
      amount,
      decimals: 6,
      program: TOKEN_PROGRAM,
      references,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const chain of this.chains) await chain.close();
    await this.cluster.stop();
  }
}

export function newReference(): string {
  return base58.encode(crypto.getRandomValues(new Uint8Array(32)));
}
