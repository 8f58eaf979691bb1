import { NETWORKS, type NetworkRow } from '@quittance/contract';
import type { Logger } from 'pino';
import { getAddress } from 'viem';
import { oncePer } from '../../../platform/cached.ts';
import type { Chain, RevertedPayment, Transfer, Watching } from '../chain.ts';
import { createEvmChain, type EvmChainOptions } from '../evm/chain.ts';
import { fromHexAddress, toHexAddress } from '../pure/tron-address.ts';
import { TRON } from './dialect.ts';

export type TronChainOptions = Omit<EvmChainOptions, 'network' | 'dialect'>;

/**
 * Tron by its JSON-RPC, which shows blocks, receipts and logs in Ethereum's form. Only tokens are read, from their logs;
 * addresses are in base58check and hashes without `0x`, as people and explorers write them.
 */
export function createTronChain(options: TronChainOptions, log: Logger): Chain {
  const tokens = hexTokens(options.tokens);
  const evm = createEvmChain({ ...options, network: 'tron', tokens, dialect: TRON }, log);
  const inHex = createTranslation();
  return {
    network: 'tron',
    head: (pass, settings) => evm.head(pass, settings),
    block: (number, by) => evm.block(number, by),
    isHeldByMost: (block) => evm.isHeldByMost(block),
    blockAt: (time, start) => evm.blockAt(time, start),
    async read(step) {
      const reading = await evm.read({ ...step, watching: inHex(step.watching) });
      return { ...reading, transfers: reading.transfers.map(withBase58), reverted: reading.reverted.map(withBase58) };
    },
    async check(transfer, watching, cache, settings) {
      const verdict = await evm.check(asEvm(transfer), inHex(watching), cache, settings);
      if (verdict.type === 'stands') return { ...verdict, transfer: withBase58(verdict.transfer) };
      if (verdict.type === 'gone' && verdict.instead) return { ...verdict, instead: verdict.instead.map(withBase58) };
      return verdict;
    },
    async transaction(txHash, watching, settings) {
      const found = await evm.transaction(`0x${txHash.replace(/^0x/i, '')}`, inHex(watching), settings);
      return (
        found && {
          ...found,
          transfers: found.transfers.map(withBase58),
          reverted: found.reverted === null ? null : found.reverted.map(withBase58),
        }
      );
    },
    replacements: async (gone, cache) => (await evm.replacements(asEvm(gone), cache)).map(withBase58),
    hasCode: (address) => evm.hasCode?.(toHexAddress(address)) ?? Promise.resolve(false),
    accountKindOf: (address, stranger) => evm.accountKindOf?.(toHexAddress(address), stranger) ?? Promise.resolve(null),
    findsLogs: async () => (await evm.findsLogs?.()) ?? null,
    async describeToken(asset) {
      const facts = await evm.describeToken?.(asset);
      return facts && { ...facts, address: fromHexAddress(facts.address) };
    },
    probe: () => evm.probe(),
    health: () => evm.health(),
    close: () => evm.close(),
  };
}

/** The tokens of the network in the form of its contracts. A test chain's own may be written in either. */
function hexTokens(own: Record<string, string>): Record<string, string> {
  const issued = Object.entries((NETWORKS.tron as NetworkRow).assets).flatMap(([symbol, { address }]) =>
    address === undefined ? [] : [[symbol, address]],
  );
  const all: Record<string, string> = { ...Object.fromEntries(issued), ...own };
  return Object.fromEntries(Object.entries(all).map(([symbol, address]) => [symbol, toHexAddress(address)]));
}

/** What is watched, in the form of logs. One set for each set, because what is read is prepared once for it. */
function createTranslation(): (watching: Watching) => Watching {
  const hexOf = oncePer(
    (addresses: Watching['addresses']) => new Set([...addresses].map((address) => getAddress(toHexAddress(address)))),
  );
  // Only balances need the sum of other transfers, and none are read.
  return ({ addresses, selfTransfers }) => ({ addresses: hexOf(addresses), ...(selfTransfers && { selfTransfers }) });
}

function withBase58<One extends Transfer | RevertedPayment>(one: One): One {
  const from = one.from && fromHexAddress(one.from);
  return { ...one, txHash: one.txHash.replace(/^0x/, ''), from, to: fromHexAddress(one.to) };
}

function asEvm(transfer: Transfer): Transfer {
  return {
    ...transfer,
    txHash: `0x${transfer.txHash}`,
    from: transfer.from && getAddress(toHexAddress(transfer.from)),
    to: getAddress(toHexAddress(transfer.to)),
  };
}
