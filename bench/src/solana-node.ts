import { startSolana } from '../../server/test/support/solana/index.ts';
import { endWithBench } from './ends.ts';

/** The node's first message once it answers. */
export interface SolanaNode {
  url: string;
  genesisHash: string;
  mint: string;
}

/** A number of slots with a number of transfers between strangers in each. */
export interface Produce {
  slots: number;
  transfers: number;
}

// A local Solana node in a separate process, so that its own cost is not measured.
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
      // Each is different, so that none counts as a duplicate.
      if (from && to) await cluster.transferSol({ from, to: to.address, amount: sent, close: false });
      sent += 1n;
    }
    cluster.slots(1);
  }
  process.send?.({ produced: slots });
});
endWithBench(() => cluster.stop());
