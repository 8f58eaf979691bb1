import { base58 } from '@scure/base';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { RpcCall } from '../faulty-rpc.ts';
import { TOKEN_PROGRAM } from '../solana/index.ts';

type Raw = Record<string, any>;

/** What one provider changes about the real cluster, everywhere it shows that. */
export interface SolanaLies {
  /** How it shows these transactions, by signature; null if it hides them. */
  transactions: Map<string, ((transaction: Raw) => Raw) | null>;
  /** The blocks of these slots are dated this many seconds later, or earlier if negative; `all` are all blocks. */
  times: Map<number | 'all', number>;
  /** Transactions that it adds to the history of an address. */
  listed: { address: string; signature: string; slot: number }[];
}

export function noSolanaLies(): SolanaLies {
  return { transactions: new Map(), times: new Map(), listed: [] };
}

export function lieAboutSolana(lies: SolanaLies): (call: RpcCall, result: any) => unknown {
  return ({ method, params }, result) => {
    switch (method) {
      case 'getBlock':
        return lieAboutBlock(lies, params[0] as number, result);
      case 'getBlockTime':
        return result + laterBy(lies, params[0] as number);
      case 'getTransaction': {
        const shown = lieAboutTransaction(lies, result);
        return shown && { ...shown, blockTime: shown.blockTime + laterBy(lies, shown.slot) };
      }
      case 'getSignaturesForAddress':
        return lieAboutHistory(lies, params as [string, { before?: string }], result);
      default:
        return result;
    }
  };
}

function lieAboutBlock(lies: SolanaLies, slot: number, block: Raw): Raw {
  return {
    ...block,
    blockTime: block.blockTime + laterBy(lies, slot),
    ...(block.signatures && {
      signatures: block.signatures.filter((one: string) => lies.transactions.get(one) !== null),
    }),
    ...(block.transactions && {
      transactions: block.transactions.flatMap((one: Raw) => lieAboutTransaction(lies, one) ?? []),
    }),
  };
}

function lieAboutTransaction({ transactions }: SolanaLies, transaction: Raw): Raw | null {
  const lie = transactions.get(transaction.transaction.signatures[0]);
  return lie === undefined ? transaction : (lie?.(transaction) ?? null);
}

/** The liar adds to the first page only, so that its history goes back as every history does. */
function lieAboutHistory(
  lies: SolanaLies,
  [address, { before }]: [string, { before?: string }],
  entries: Raw[],
): Raw[] {
  const added = lies.listed
    .filter((one) => one.address === address && before === undefined)
    .map(({ signature, slot }) => ({
      signature,
      slot,
      err: null,
      memo: null,
      blockTime: null,
      confirmationStatus: 'finalized',
    }));
  return [...entries, ...added]
    .filter(({ signature }) => lies.transactions.get(signature) !== null)
    .toSorted((a, b) => b.slot - a.slot);
}

function laterBy({ times }: SolanaLies, slot: number): number {
  return times.get(slot) ?? times.get('all') ?? 0;
}

/** Another owner of the token accounts that one wallet owns. */
export function withOwner(real: string, shown: string): (transaction: Raw) => Raw {
  return (transaction) =>
    withBalances(transaction, (balance) => (balance.owner === real ? { ...balance, owner: shown } : balance));
}

/** Other amounts of token transfers, and the balances after them, by their owner. */
export function withAmounts(
  shown: ReadonlyMap<bigint, bigint>,
  after: Record<string, bigint> = {},
): (transaction: Raw) => Raw {
  return (transaction) => {
    const { message } = transaction.transaction;
    const balanced = {
      ...transaction,
      meta: {
        ...transaction.meta,
        postTokenBalances: transaction.meta.postTokenBalances.map((balance: Raw) => {
          const amount = String(BigInt(balance.uiTokenAmount.amount) + (after[balance.owner] ?? 0n));
          return { ...balance, uiTokenAmount: { ...balance.uiTokenAmount, amount } };
        }),
      },
    };
    return message ? withMoved(balanced, shown, { program: TOKEN_PROGRAM, amountAt: 1 }) : balanced;
  };
}

/** Other amounts of SOL transfers, and the balances after them, by their account. */
export function withLamports(
  shown: ReadonlyMap<bigint, bigint>,
  after: Record<string, bigint> = {},
): (transaction: Raw) => Raw {
  return (transaction) => {
    const { message, accountKeys } = transaction.transaction;
    const keys: string[] = message?.accountKeys ?? accountKeys.map(({ pubkey }: Raw) => pubkey);
    const postBalances = transaction.meta.postBalances.map((balance: number, at: number) =>
      Number(BigInt(balance) + (after[keys[at] as string] ?? 0n)),
    );
    const balanced = { ...transaction, meta: { ...transaction.meta, postBalances } };
    return message ? withMoved(balanced, shown, { program: SYSTEM_PROGRAM_ADDRESS, amountAt: 4 }) : balanced;
  };
}

/** Other amounts in the instructions of one program. */
function withMoved(
  transaction: Raw,
  shown: ReadonlyMap<bigint, bigint>,
  { program, amountAt }: { program: string; amountAt: number },
): Raw {
  const { message } = transaction.transaction;
  const instructions = message.instructions.map((one: Raw) => {
    if (message.accountKeys[one.programIdIndex] !== program) return one;
    const data = Buffer.from(base58.decode(one.data));
    const amount = shown.get(data.readBigUInt64LE(amountAt));
    if (amount !== undefined) data.writeBigUInt64LE(amount, amountAt);
    return { ...one, data: base58.encode(data) };
  });
  return { ...transaction, transaction: { ...transaction.transaction, message: { ...message, instructions } } };
}

/** Another account instead of one. */
export function withKey(real: string, shown: string): (transaction: Raw) => Raw {
  return (transaction) => JSON.parse(JSON.stringify(transaction).replaceAll(real, shown)) as Raw;
}

function withBalances({ meta, ...rest }: Raw, change: (balance: Raw) => Raw): Raw {
  return {
    ...rest,
    meta: {
      ...meta,
      preTokenBalances: meta.preTokenBalances.map(change),
      postTokenBalances: meta.postTokenBalances.map(change),
    },
  };
}
