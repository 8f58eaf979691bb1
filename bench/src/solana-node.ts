import { startSolana } from '../../server/test/support/solana/index.ts';

/** What the node tells once it answers. */
export interface SolanaNode {
  url: string;
  genesisHash: string;
  mint: string;
}

/** So many slots with so many transfers between strangers in each. */
export interface Produce {
  slots: number;
  transfers: number;
}

// A Solana node of our own, in a process of its own: what it costs is not what reading it costs.
const cluster = await startSolana({ finalizedLag: 4 });
cluster.slots(10);
const mint = await cluster.createMint();
const strangers = await Promise.all(Array.from({ length: 20 }, () => cluster.newWallet(1_000_000_000n)));
process.send?.({ url: cluster.url, genesisHash: cluster.genesisHash, mint } satisfies SolanaNode);

let sent = 1n;
process.on('message', async ({ slots, transfers }: Produce) => {
  for (let slot = 0; slot < slots; slot += 1) {
    for (let at = 0; at < transfers; at += 1) {
      const from = strangers[at % strangers.length];
      const to = strangers[(at + 1) % strangers.length];
      // No two are alike, so that none is taken for one sent twice.
      if (from && to) await cluster.transferSol({ from, to: to.address, amount: sent, close: false });
      sent += 1n;
    }
    cluster.slots(1);
  }
  process.send?.({ produced: slots });
});
process.once('SIGTERM', () => void cluster.stop().then(() => process.exit(0)));
