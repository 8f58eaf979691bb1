import { base58 } from '@scure/base';
import { type Address, getSignatureFromTransaction, getTransactionDecoder, lamports } from '@solana/kit';
import { FailedTransactionMetadata } from 'litesvm';
import { toTransactionError } from './errors.ts';
import { type Ledger, type LedgerBlock, readTokenAccount, RefusedError } from './ledger.ts';
import {
  accountInfo,
  type Commitment,
  decimalsOf,
  RpcRefusedError,
  seconds,
  type Settings,
  statusOf,
  tokenAccountsOf,
  uiAmount,
  viewBlock,
  viewTransaction,
} from './rpc-views.ts';

export interface NodeOptions {
  genesisHash: string;
  /** Whether a sent transaction gets its own slot at once. */
  closesAtOnce(): boolean;
}

const MAX_SIGNATURES = 1_000;
const MAX_SLOTS = 500_000;

/** A node's answer to each method, over the ledger. */
export function answerCall(ledger: Ledger, node: NodeOptions, method: string, params: readonly unknown[]): unknown {
  const answer = METHODS[method];
  if (!answer) throw new RpcRefusedError(-32601, 'Method not found');
  return answer(ledger, [...params], node);
}

type Method = (ledger: Ledger, params: readonly any[], node: NodeOptions) => unknown;

const METHODS: Record<string, Method> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
  getGenesisHash: (_ledger, _params, node) => node.genesisHash,
  getSlot: (ledger, [settings]) => blockFor(ledger, settings).slot,
  getBlockHeight: (ledger, [settings]) => blockFor(ledger, settings).slot,
  getFirstAvailableBlock: (ledger) => ledger.first,
  getEpochInfo: (ledger, [settings]) => {
    const { slot } = blockFor(ledger, settings);
    return {
      absoluteSlot: slot,
      blockHeight: slot,
      epoch: 0n,
      slotIndex: slot,
      slotsInEpoch: 432_000n,
      transactionCount: ledger.transactions.size,
    };
  },
  getLatestBlockhash: (ledger, [settings]) => {
    const block = blockFor(ledger, settings);
    return inContext(ledger, settings, { blockhash: block.blockhash, lastValidBlockHeight: block.slot + 150n });
  },
  isBlockhashValid: (ledger, [hash, settings]) =>
    inContext(
      ledger,
      settings,
      [...ledger.blocks.values()].some((block) => block.blockhash === hash),
    ),
  getMinimumBalanceForRentExemption: (ledger, [space]) => ledger.svm.minimumBalanceForRentExemption(BigInt(space)),
  getFeeForMessage: (ledger, [_message, settings]) => inContext(ledger, settings, 5_000),

  getBalance: (ledger, [address, settings]) =>
    inContext(ledger, settings, ledger.svm.getBalance(readAddress(address)) ?? 0n),
  getAccountInfo: (ledger, [address, settings]) =>
    inContext(ledger, settings, accountInfo(ledger, readAddress(address), settings)),
  getMultipleAccounts: (ledger, [addresses, settings]) => {
    if ((addresses as string[]).length > 100) throw new RpcRefusedError(-32602, 'Too many inputs provided; max 100');
    return inContext(
      ledger,
      settings,
      (addresses as string[]).map((address) => accountInfo(ledger, readAddress(address), settings)),
    );
  },
  getTokenAccountsByOwner: (ledger, [owner, filter, settings]) =>
    inContext(ledger, settings, tokenAccountsOf(ledger, owner, filter, settings)),
  getTokenAccountBalance: (ledger, [address, settings]) => {
    const account = ledger.svm.getAccount(readAddress(address));
    const held = account.exists ? readTokenAccount(account) : undefined;
    if (!held) throw new RpcRefusedError(-32602, 'Invalid param: could not find account');
    return inContext(ledger, settings, uiAmount(held.amount, decimalsOf(ledger, held.mint)));
  },

  getBlockTime: (ledger, [slot]) => seconds(requireBlock(ledger, slot, 'confirmed').time),
  getBlock: (ledger, [slot, settings]) =>
    viewBlock(requireBlock(ledger, slot, atLeastConfirmed(settings)), settings ?? {}),
  getBlocks: (ledger, [start, end, settings]) => {
    const given = (typeof end === 'object' ? end : settings) as Settings | undefined;
    const newest = ledger.at(atLeastConfirmed(given)).slot;
    const last = typeof end === 'number' && BigInt(end) < newest ? BigInt(end) : newest;
    if (last - BigInt(start) > MAX_SLOTS) throw new RpcRefusedError(-32602, `Slot range too large; max ${MAX_SLOTS}`);
    return slotsBetween(ledger, BigInt(start), last);
  },
  getBlocksWithLimit: (ledger, [start, limit, settings]) => {
    if (limit > MAX_SLOTS) throw new RpcRefusedError(-32602, `Limit too large; max ${MAX_SLOTS}`);
    return slotsBetween(ledger, BigInt(start), ledger.at(atLeastConfirmed(settings)).slot, limit);
  },

  getTransaction: (ledger, [signature, settings]) => {
    requireSignature(signature);
    const given = (settings ?? {}) as Settings;
    const transaction = ledger.transactions.get(signature);
    if (!transaction || transaction.slot === 0n || transaction.slot > ledger.at(atLeastConfirmed(given)).slot)
      return null;
    const block = ledger.blocks.get(transaction.slot) as LedgerBlock;
    return { slot: transaction.slot, blockTime: seconds(block.time), ...viewTransaction(transaction, given) };
  },
  getSignaturesForAddress: (ledger, [address, settings]) => signaturesFor(ledger, readAddress(address), settings ?? {}),
  getSignatureStatuses: (ledger, [signatures]) =>
    inContext(
      ledger,
      undefined,
      (signatures as string[]).map((signature) => {
        const transaction = ledger.transactions.get(signature);
        if (!transaction || transaction.slot === 0n) return null;
        const status = commitmentOf(ledger, transaction.slot);
        return {
          slot: transaction.slot,
          confirmations: status === 'finalized' ? null : ledger.head.slot - transaction.slot,
          err: transaction.err,
          status: statusOf(transaction),
          confirmationStatus: status,
        };
      }),
    ),

  requestAirdrop: (ledger, [address, amount]) => {
    ledger.svm.airdrop(readAddress(address), lamports(BigInt(amount)));
    return base58.encode(crypto.getRandomValues(new Uint8Array(64)));
  },
  simulateTransaction: (ledger, [text, settings]) => {
    const wire = readWire(text, settings);
    const given = (settings ?? {}) as Settings;
    const transaction = getTransactionDecoder().decode(wire);
    const [own] = Object.values(transaction.signatures);
    // The runtime forgets what it has executed; a cluster does not while the blockhash is valid.
    if (own && ledger.transactions.has(base58.encode(own as Uint8Array)))
      return inContext(ledger, given, { err: 'AlreadyProcessed', logs: [], accounts: null, unitsConsumed: 0 });
    if (!given.sigVerify) ledger.svm.withSigverify(false);
    try {
      const outcome = ledger.svm.simulateTransaction(transaction);
      const failed = outcome instanceof FailedTransactionMetadata;
      return inContext(ledger, given, {
        err: failed ? toTransactionError(outcome) : null,
        logs: outcome.meta().logs(),
        accounts: null,
        unitsConsumed: outcome.meta().computeUnitsConsumed(),
        returnData: null,
      });
    } finally {
      ledger.svm.withSigverify(true);
    }
  },
  sendTransaction: (ledger, [text, settings], node) => {
    const given = (settings ?? {}) as Settings;
    const wire = readWire(text, given);
    const transaction = getTransactionDecoder().decode(wire);
    if (!given.skipPreflight) {
      const outcome = ledger.svm.simulateTransaction(transaction);
      if (outcome instanceof FailedTransactionMetadata)
        throw preflightFailure(new RefusedError(toTransactionError(outcome), outcome.meta().logs()));
    }
    try {
      const { signature } = ledger.execute(wire);
      if (node.closesAtOnce()) ledger.close();
      return signature;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      // Without a preflight check it is accepted, and silently dropped later.
      if (given.skipPreflight) return getSignatureFromTransaction(transaction);
      throw preflightFailure(error);
    }
  },
};

function preflightFailure({ err, logs, message }: RefusedError): RpcRefusedError {
  return new RpcRefusedError(-32002, `Transaction simulation failed: ${message}`, {
    err,
    logs,
    accounts: null,
    unitsConsumed: 0,
    returnData: null,
  });
}

function blockFor(ledger: Ledger, settings: Settings | undefined): LedgerBlock {
  const block = ledger.at(settings?.commitment ?? 'finalized');
  if (settings?.minContextSlot !== undefined && block.slot < BigInt(settings.minContextSlot)) {
    throw new RpcRefusedError(-32016, 'Minimum context slot has not been reached', { contextSlot: Number(block.slot) });
  }
  return block;
}

function inContext(ledger: Ledger, settings: Settings | undefined, value: unknown) {
  return { context: { slot: blockFor(ledger, settings).slot, apiVersion: '3.0.0' }, value };
}

function atLeastConfirmed(settings: Settings | undefined): 'confirmed' | 'finalized' {
  if (settings?.commitment === 'processed')
    throw new RpcRefusedError(-32602, 'Method does not support commitment below `confirmed`');
  return settings?.commitment ?? 'finalized';
}

function requireBlock(ledger: Ledger, slot: number, commitment: Commitment): LedgerBlock {
  const wanted = BigInt(slot);
  if (wanted > ledger.at(commitment).slot) throw new RpcRefusedError(-32004, `Block not available for slot ${slot}`);
  if (wanted < ledger.first)
    throw new RpcRefusedError(
      -32001,
      `Block ${slot} cleaned up, does not exist on node. First available block: ${ledger.first}`,
    );
  const block = ledger.blocks.get(wanted);
  if (!block)
    throw new RpcRefusedError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
  return block;
}

function slotsBetween(ledger: Ledger, start: bigint, last: bigint, most = Number.POSITIVE_INFINITY): bigint[] {
  const slots: bigint[] = [];
  for (let slot = start; slot <= last && slots.length < most; slot += 1n) if (ledger.blocks.has(slot)) slots.push(slot);
  return slots;
}

/** Newest first, like a node's index: `before` and `until` may name any transaction, including other addresses'. */
function signaturesFor(ledger: Ledger, address: Address, settings: Settings): unknown[] {
  const newest = ledger.at(atLeastConfirmed(settings)).slot;
  blockFor(ledger, { ...settings, commitment: atLeastConfirmed(settings) });
  if (settings.limit !== undefined && (settings.limit < 1 || settings.limit > MAX_SIGNATURES))
    throw new RpcRefusedError(-32602, `Invalid limit; max ${MAX_SIGNATURES}`);
  const place = (signature: string | undefined) => {
    const transaction = signature === undefined ? undefined : ledger.transactions.get(signature);
    return (
      transaction && {
        slot: transaction.slot,
        at: (ledger.blocks.get(transaction.slot) as LedgerBlock).transactions.indexOf(transaction),
      }
    );
  };
  const before = place(settings.before);
  const until = place(settings.until);
  if (settings.before !== undefined && !before) return [];

  const found: unknown[] = [];
  for (const transaction of (ledger.byAddress.get(address) ?? []).toReversed()) {
    const own = place(transaction.signature) as { slot: bigint; at: number };
    if (own.slot > newest || (before && !isBefore(own, before))) continue;
    if (until && !isBefore(until, own)) break;
    const block = ledger.blocks.get(transaction.slot) as LedgerBlock;
    found.push({
      signature: transaction.signature,
      slot: transaction.slot,
      err: transaction.err,
      memo: transaction.memo,
      blockTime: seconds(block.time),
      confirmationStatus: commitmentOf(ledger, transaction.slot),
    });
    if (found.length >= (settings.limit ?? MAX_SIGNATURES)) break;
  }
  return found;
}

function isBefore(a: { slot: bigint; at: number }, b: { slot: bigint; at: number }): boolean {
  return a.slot < b.slot || (a.slot === b.slot && a.at < b.at);
}

function commitmentOf(ledger: Ledger, slot: bigint): Commitment {
  return slot <= ledger.at('finalized').slot
    ? 'finalized'
    : slot <= ledger.at('confirmed').slot
      ? 'confirmed'
      : 'processed';
}

function readAddress(text: unknown): Address {
  try {
    if (typeof text === 'string' && base58.decode(text).length === 32) return text as Address;
  } catch {
    // The error is thrown below.
  }
  throw new RpcRefusedError(-32602, 'Invalid param: WrongSize');
}

function requireSignature(text: unknown): void {
  try {
    if (typeof text === 'string' && base58.decode(text).length === 64) return;
  } catch {
    // The error is thrown below.
  }
  throw new RpcRefusedError(-32602, 'Invalid param: Invalid');
}

function readWire(text: unknown, settings: Settings | undefined): Uint8Array {
  if (typeof text !== 'string') throw new RpcRefusedError(-32602, 'invalid type: expected a string');
  try {
    const bytes = settings?.encoding === 'base64' ? Uint8Array.from(Buffer.from(text, 'base64')) : base58.decode(text);
    getTransactionDecoder().decode(bytes);
    return bytes;
  } catch {
    throw new RpcRefusedError(-32602, 'failed to deserialize solana_transaction::versioned::VersionedTransaction');
  }
}
