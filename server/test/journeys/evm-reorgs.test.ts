import { pino } from 'pino';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type BlockRef, type Chain, ReorgError, type Transfer } from '../../src/outside/chains/chain.ts';
import { calldata, startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { randomFrom } from '../support/random.ts';
import { asRef, createEvmChain, READS_NATIVE, TOKEN_CONTRACT } from '../support/row.ts';

const WALLETS = ['0x00000000000000000000000000000000000A11cE', '0x0000000000000000000000000000000000000B0b'] as const;
const WATCHING = { addresses: new Set<string>(WALLETS) };
// A few by default; for many: REORG_SEEDS=300 npx vitest run server/test/journeys/evm-reorgs.test.ts
const SEEDS = Number(process.env.REORG_SEEDS ?? 16);

let anvil: TestChain;
let token: `0x${string}`;
let forwarder: `0x${string}`;
let rounds = 0;

/** A new node now and then, because it keeps the states of a few thousand blocks. */
beforeEach(async () => {
  if (rounds++ % 50 !== 0) return;
  if (rounds > 1) await anvil.stop();
  anvil = await startAnvil();
  token = await anvil.deployToken({ contract: TOKEN_CONTRACT });
  forwarder = await anvil.deploy('Forwarder');
  await anvil.mine(70);
});

afterAll(() => anvil.stop());

test.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
  'after a reorg exactly the transfers on the canonical chain are stored, once (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    // All depths from 1 to 64 within 64 seeds.
    const depth = 1 + ((seed * 37) % 64);
    const chain = createEvmChain(
      {
        network: 'ethereum',
        rpcUrls: [anvil.url],
        chainId: anvil.chainId,
        tokens: { USDC: token },
        tuning: { pauseMs: { first: 1, longest: 2 } },
      },
      pino({ level: process.env.EVM_LOG ?? 'silent' }),
    );
    const start = await anvil.head();
    const follower = follow(chain, asRef(start));

    // Each payer pays once, so that dropping one payment does not make the next invalid.
    const payments: { hash: `0x${string}`; signed: `0x${string}` }[] = [];
    for (const [at, payer] of anvil.accounts.slice(1).entries()) {
      const to = WALLETS[Math.floor(random() * 2)] as `0x${string}`;
      const amount = BigInt(seed * 1000 + at);
      const from = payer.address;
      const kind = READS_NATIVE ? Math.floor(random() * 3) : 0;
      const hash =
        kind === 0
          ? await anvil.transferErc20({ token, to, amount, from, mine: false })
          : kind === 1
            ? await anvil.sendEth({ to, amount, from, mine: false })
            : await anvil.sendEth({
                to: forwarder,
                amount,
                from,
                data: calldata('Forwarder', 'forward', [to]),
                mine: false,
              });
      if (random() < 0.5 || at === 8) await anvil.mine(1 + Math.floor(random() * Math.min(depth, 8)));
      payments.push({ hash, signed: await anvil.signed(hash) });
      if (random() < 0.3) await follower.catchUp();
    }
    const missing = Number(start.number) + depth + 1 - Number((await anvil.head()).number);
    if (missing > 0) await anvil.mine(missing);
    await follower.catchUp();
    expect(follower.standing()).toEqual(await onChain(payments.map((payment) => payment.hash)));

    const { number } = await anvil.head();
    const undone: typeof payments = [];
    for (const payment of payments)
      if ((await anvil.included(payment.hash)).blockNumber > number - BigInt(depth)) undone.push(payment);
    const moved = undone.filter(() => random() < 0.4);
    await anvil.reorg(depth, [
      ...moved.map(({ signed }) => ({ block: Math.floor(random() * depth), transaction: signed })),
      {
        block: Math.floor(random() * depth),
        transaction: {
          from: anvil.accounts[0]?.address as `0x${string}`,
          to: token,
          data: transferCalldata(WALLETS[0], 0n),
        },
      },
    ]);
    await anvil.mine(1 + Math.floor(random() * 3));
    await follower.catchUp();

    expect(follower.standing()).toEqual(await onChain(payments.map((payment) => payment.hash)));
    await chain.close();
  },
);

/** Which of these transactions are on the chain now, and in which block. */
async function onChain(hashes: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const hash of hashes) {
    const receipt = await anvil.rpc<{ blockHash: string; blockNumber: string; status: string } | null>(
      'eth_getTransactionReceipt',
      [hash],
    );
    // On another branch the same transaction may need more gas than its limit.
    if (receipt?.status === '0x1')
      found.set(hash, asRef({ hash: receipt.blockHash, number: BigInt(receipt.blockNumber) }).hash);
  }
  return found;
}

/** A minimal watcher: reads on, returns to the last common block after a fork, and rereads what it saw above it. */
function follow(chain: Chain, start: BlockRef) {
  let cursor = start;
  const past: BlockRef[] = [start];
  const seen = new Map<string, Transfer>();

  async function rewind(): Promise<void> {
    while ((await chain.block((past.at(-1) as BlockRef).number))?.hash !== past.at(-1)?.hash) past.pop();
    cursor = past.at(-1) as BlockRef;
    for (const [key, transfer] of seen) {
      if (transfer.block.number <= cursor.number) continue;
      const verdict = await chain.check(transfer, WATCHING);
      if (verdict.type === 'gone') seen.delete(key);
      else if (verdict.type === 'stands') seen.set(key, verdict.transfer);
      else throw new Error(verdict.details);
    }
  }

  return {
    standing: () => new Map([...seen.values()].map((transfer) => [transfer.txHash, transfer.block.hash])),
    async catchUp() {
      for (let head = await chain.head('first'); cursor.hash !== head.hash; ) {
        try {
          const reading = await chain.read({ after: cursor, until: head, watching: WATCHING, pass: 'first' });
          for (const transfer of reading.transfers) seen.set(`${transfer.txHash} ${transfer.index}`, transfer);
          cursor = reading.covered;
          past.push(cursor);
        } catch (error) {
          if (!(error instanceof ReorgError)) throw error;
          await rewind();
          head = await chain.head('first');
        }
      }
    },
  };
}
