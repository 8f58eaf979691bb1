import { type EvmNetwork, NETWORKS } from '@quittance/contract';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { getAddress } from 'viem';
import { afterEach, describe, expect, test } from 'vitest';
import type { Chain } from '../../../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../../../src/outside/chains/evm/chain.ts';
import { tokenAddress } from '../../../../src/outside/chains/evm/tokens.ts';
import { createSolanaChain } from '../../../../src/outside/chains/solana/chain.ts';
import { areMissing, contentsOf, type Raw, recordings } from './recordings.ts';

type Answer = (method: string, params: any[]) => unknown;

/** A customer's hint or a recheck looks up one transaction by its hash, over the wire. */
describe.skipIf(areMissing)('recorded transactions, looked up by hash', () => {
  const open: { server: Server; chain: Chain }[] = [];
  afterEach(async () => {
    for (const { server, chain } of open.splice(0)) {
      await chain.close();
      server.closeAllConnections();
      server.close();
    }
  });

  test.each<[EvmNetwork, RegExp, number]>([
    ['ethereum', /^ethereum/, 500],
    ['base', /^base\.|^base-goerli/, 80],
    ['polygon', /^polygon\./, 60],
    ['arbitrum', /^arbitrum\./, 4],
  ])(
    'on %s say what they paid and whether they reverted, and no lookup fails its provider',
    async (network, file, least) => {
      const all = recordings(file);
      const { blocks, transactions, receipts } = contentsOf(all);
      const byHash = (objects: Raw[], key: string) => new Map(objects.map((object) => [object[key] as string, object]));
      const [transactionOf, receiptOf, blockOf] = [
        byHash(transactions, 'hash'),
        byHash(receipts, 'transactionHash'),
        byHash(blocks, 'hash'),
      ];
      // Not every transaction and block was recorded, and some sources wrote a wrong number into a block.
      const complete = receipts.filter(
        ({ transactionHash, blockHash, blockNumber }) =>
          transactionOf.get(transactionHash)?.blockHash === blockHash &&
          BigInt(blockOf.get(blockHash)?.number ?? -1) === BigInt(blockNumber),
      );
      const numbered = new Map(
        complete.map((receipt) => [BigInt(receipt.blockNumber), blockOf.get(receipt.blockHash)!]),
      );

      const chain = await replay(
        (urls) => createEvmChain({ network, rpcUrls: urls, chainId: null, tokens: {} }, pino({ level: 'silent' })),
        (method, [first]) => {
          if (method === 'eth_chainId') return `0x${NETWORKS[network].chainId.toString(16)}`;
          if (method === 'eth_getTransactionReceipt') return receiptOf.get(first) ?? null;
          if (method === 'eth_getTransactionByHash') return transactionOf.get(first) ?? null;
          // No balances were recorded. That none has grown shows that no contract paid ether to a wallet.
          if (method === 'eth_getBalance') return '0x0';
          if (method === 'eth_call') return '0x';
          return method === 'eth_getBlockByNumber' ? (numbered.get(BigInt(first)) ?? null) : undefined;
        },
      );
      const usdc = tokenAddress(network, 'USDC')!.toLowerCase();
      let paid = 0;
      for (const receipt of complete) {
        const logs = (receipt.logs as Raw[]).filter(
          ({ address, topics }) =>
            address.toLowerCase() === usdc && topics[0].startsWith('0xddf252ad') && topics.length === 3,
        );
        const watched = new Set(logs.map(({ topics }) => getAddress(`0x${topics[2].slice(26)}`)));
        const found = await chain.transaction(receipt.transactionHash, { addresses: watched });
        const isPaid = receipt.status === '0x1';
        expect(found!.reverted !== null, receipt.transactionHash).toBe(receipt.status === '0x0');
        const units = (isPaid ? logs : []).map(({ data }) => BigInt(data)).filter((amount) => amount > 0n);
        expect(
          found!.transfers.filter(({ asset }) => asset === 'USDC').map(({ amountUnits }) => amountUnits),
          receipt.transactionHash,
        ).toEqual(units);
        paid += units.length;
      }
      expect(await chain.transaction(`0x${'5'.repeat(64)}`, { addresses: new Set() })).toBeUndefined();
      expect(chain.health()).toMatchObject({ reachable: true, providers: [{ healthy: true, lastError: null }] });
      console.info(`${network}: ${complete.length} transactions looked up, ${paid} transfers of USDC`);
      expect(complete.length).toBeGreaterThanOrEqual(least);
    },
  );

  test('on Solana show their recipients, and no lookup fails its provider', async () => {
    const transactions = new Map(
      recordings(/^solana/)
        .filter(({ method, result }) => method === 'getTransaction' && result !== null)
        .map(({ result }) => [(result as Raw).transaction.signatures[0] as string, result as Raw]),
    );
    const times = new Map([...transactions.values()].map(({ slot, blockTime }) => [slot, blockTime]));
    const chain = await replay(
      (urls) => createSolanaChain({ rpcUrls: urls, genesisHash: null, tokens: {} }, pino({ level: 'silent' })),
      (method, [first]) => {
        if (method === 'getGenesisHash') return NETWORKS.solana.genesisHash;
        if (method === 'getTransaction') return transactions.get(first) ?? null;
        // The blocks of these transactions were not recorded; only their time matters here.
        return method === 'getBlock'
          ? {
              blockhash: NETWORKS.solana.genesisHash,
              previousBlockhash: NETWORKS.solana.genesisHash,
              parentSlot: first - 1,
              blockTime: times.get(first),
            }
          : undefined;
      },
    );
    for (const [signature, { meta, blockTime, transaction }] of transactions) {
      const payer = transaction.message.accountKeys[0] as string;
      const others = ((meta.postTokenBalances ?? []) as Raw[])
        .map(({ owner }) => owner as string)
        .filter((owner) => owner !== payer);
      const found = await chain.transaction(signature, { addresses: new Set(others) });
      expect(found!.reverted !== null, signature).toBe(meta.err !== null);
      for (const { block, to, amountUnits } of found!.transfers) {
        expect(block.time, signature).toEqual(new Date(blockTime * 1000));
        expect(others).toContain(to);
        expect(amountUnits > 0n).toBe(true);
      }
    }
    expect(chain.health()).toMatchObject({ reachable: true, providers: [{ healthy: true, lastError: null }] });
    expect(transactions.size).toBeGreaterThan(60);
  });

  /**
   * A chain whose only provider answers from recordings, and without one answers that it does not support the method.
   */
  async function replay(create: (urls: string[]) => Chain, answer: Answer): Promise<Chain> {
    const server = createServer((request, response) => {
      void (async () => {
        const body = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')) as unknown;
        const reply = ({ id, method, params }: Raw) => {
          const result = answer(method, params);
          return {
            jsonrpc: '2.0',
            id,
            ...(result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }),
          };
        };
        response.end(JSON.stringify(Array.isArray(body) ? body.map(reply) : reply(body as Raw)));
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const chain = create([`http://127.0.0.1:${(server.address() as AddressInfo).port}/`]);
    open.push({ server, chain });
    return chain;
  }
});
