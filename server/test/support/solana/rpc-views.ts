import { base58 } from '@scure/base';
import type { Address } from '@solana/kit';
import {
  type Executed,
  type Ledger,
  type LedgerBlock,
  readTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenBalance,
} from './ledger.ts';

/** A node's error response. */
export class RpcRefusedError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type Commitment = 'processed' | 'confirmed' | 'finalized';
/** The last parameter of a call. */
export interface Settings {
  commitment?: Commitment;
  encoding?: string;
  minContextSlot?: number;
  maxSupportedTransactionVersion?: number;
  transactionDetails?: 'full' | 'accounts' | 'signatures' | 'none';
  rewards?: boolean;
  limit?: number;
  before?: string;
  until?: string;
  skipPreflight?: boolean;
  sigVerify?: boolean;
  searchTransactionHistory?: boolean;
  dataSlice?: { offset: number; length: number };
}

export function viewBlock(block: LedgerBlock, settings: Settings) {
  const details = settings.transactionDetails ?? 'full';
  return {
    blockhash: block.blockhash,
    previousBlockhash: block.previousBlockhash,
    parentSlot: block.parentSlot,
    blockHeight: block.slot,
    blockTime: seconds(block.time),
    ...(settings.rewards === false ? {} : { rewards: [] }),
    ...(details === 'signatures' ? { signatures: block.transactions.map((transaction) => transaction.signature) } : {}),
    ...(details === 'full' || details === 'accounts'
      ? { transactions: block.transactions.map((transaction) => viewTransaction(transaction, settings)) }
      : {}),
  };
}

export function viewTransaction(transaction: Executed, settings: Settings) {
  requireVersion(transaction, settings);
  const version = settings.maxSupportedTransactionVersion === undefined ? {} : { version: transaction.version };
  const balances = {
    err: transaction.err,
    status: statusOf(transaction),
    fee: transaction.fee,
    preBalances: transaction.preBalances,
    postBalances: transaction.postBalances,
    preTokenBalances: transaction.preTokenBalances.map(viewTokenBalance),
    postTokenBalances: transaction.postTokenBalances.map(viewTokenBalance),
  };
  if (settings.transactionDetails === 'accounts') {
    return {
      ...version,
      meta: balances,
      transaction: {
        signatures: transaction.signatures,
        accountKeys: transaction.keys.map((key) => ({
          pubkey: key.address,
          signer: key.signer,
          writable: key.writable,
          source: key.source,
        })),
      },
    };
  }
  const loaded = (writable: boolean) =>
    transaction.keys
      .filter((key) => key.source === 'lookupTable' && key.writable === writable)
      .map((key) => key.address);
  return {
    ...version,
    meta: {
      ...balances,
      innerInstructions: transaction.inner,
      logMessages: transaction.logs,
      rewards: [],
      ...(transaction.version === 0 ? { loadedAddresses: { writable: loaded(true), readonly: loaded(false) } } : {}),
      computeUnitsConsumed: transaction.computeUnits,
    },
    transaction: viewMessage(transaction, settings.encoding ?? 'json'),
  };
}

function viewMessage(transaction: Executed, encoding: string) {
  if (encoding === 'base64') return [Buffer.from(transaction.wire).toString('base64'), 'base64'];
  if (encoding === 'base58') return [base58.encode(transaction.wire), 'base58'];
  if (encoding !== 'json')
    throw new RpcRefusedError(-32602, `encoding ${encoding} is not spoken here; json and base64 are`);
  return {
    signatures: transaction.signatures,
    message: {
      header: transaction.header,
      recentBlockhash: transaction.recentBlockhash,
      accountKeys: transaction.keys.filter((key) => key.source === 'transaction').map((key) => key.address),
      instructions: transaction.instructions,
      ...(transaction.version === 0 ? { addressTableLookups: transaction.lookups } : {}),
    },
  };
}

function requireVersion(transaction: Executed, settings: Settings): void {
  if (transaction.version === 'legacy' || (settings.maxSupportedTransactionVersion ?? -1) >= transaction.version)
    return;
  throw new RpcRefusedError(
    -32015,
    `Transaction version (${transaction.version}) is not supported by the requesting client. Please try ` +
      `the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${transaction.version}`,
  );
}

function viewTokenBalance({ amount, decimals, ...rest }: TokenBalance) {
  return { ...rest, uiTokenAmount: uiAmount(amount, decimals) };
}

export function uiAmount(amount: bigint, decimals: number) {
  const value = Number(amount) / 10 ** decimals;
  return { amount: String(amount), decimals, uiAmount: value, uiAmountString: String(value) };
}

export function statusOf({ err }: Executed) {
  return err === null ? { Ok: null } : { Err: err };
}

export function accountInfo(ledger: Ledger, address: Address, settings: Settings | undefined) {
  const account = ledger.svm.getAccount(address);
  if (!account.exists || account.lamports === 0n) return null;
  const { offset, length } = settings?.dataSlice ?? { offset: 0, length: account.data.length };
  return {
    lamports: account.lamports,
    owner: account.programAddress,
    executable: account.executable,
    rentEpoch: 18_446_744_073_709_551_615n,
    space: BigInt(account.data.length),
    data: viewData(ledger, account, account.data.slice(offset, offset + length), settings?.encoding ?? 'base64'),
  };
}

function viewData(ledger: Ledger, account: Parameters<typeof readTokenAccount>[0], data: Uint8Array, encoding: string) {
  const held = encoding === 'jsonParsed' ? readTokenAccount(account) : undefined;
  if (held) {
    const info = {
      mint: held.mint,
      owner: held.owner,
      state: 'initialized',
      isNative: false,
      tokenAmount: uiAmount(held.amount, decimalsOf(ledger, held.mint)),
    };
    return {
      program: account.programAddress === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022',
      space: BigInt(account.data.length),
      parsed: { type: 'account', info },
    };
  }
  return encoding === 'base58' ? [base58.encode(data), 'base58'] : [Buffer.from(data).toString('base64'), 'base64'];
}

export function tokenAccountsOf(
  ledger: Ledger,
  owner: string,
  filter: { mint?: string; programId?: string },
  settings: Settings | undefined,
) {
  return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]
    .filter((program) => filter.programId === undefined || filter.programId === program)
    .flatMap((program) => ledger.svm.getProgramAccounts(program))
    .filter((account) => {
      const held = readTokenAccount(account);
      return held?.owner === owner && (filter.mint === undefined || held.mint === filter.mint);
    })
    .map((account) => ({ pubkey: account.address, account: accountInfo(ledger, account.address, settings) }));
}

export function decimalsOf(ledger: Ledger, mint: Address): number {
  const account = ledger.svm.getAccount(mint);
  return account.exists ? (account.data[44] ?? 0) : 0;
}

export function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
