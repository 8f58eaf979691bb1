import { type Address, getAddressDecoder } from '@solana/kit';
import type { AccountKind, TokenFacts } from '../chain.ts';
import type { Call } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { list, MalformedAnswerError, record } from '../rpc/shapes.ts';
import { address } from './shapes.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAMS } from './programs.ts';

// The sizes of both token programs. With extensions, a byte behind the size of a token account says what it is.
const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
const MULTISIG_BYTES = 355;
const DATA_BYTES = MULTISIG_BYTES + 1;
const IS_MINT = 1;
const IS_TOKEN_ACCOUNT = 2;
const OWNER_OFFSET = 32;
/** In a mint, behind its authority and its supply. */
const DECIMALS_OFFSET = 44;
const KEY_BYTES = 32;

/** What lives at an address; null for an ordinary wallet. A multisignature account can own tokens, so it is a contract. */
export function kindOf(account: Account | null): AccountKind | null {
  if (!account || account.owner === SYSTEM_PROGRAM) return null;
  if (account.isProgram) return 'program';
  if (!TOKEN_PROGRAMS.includes(account.owner)) return 'contract';
  const { data } = account;
  if (data.length === TOKEN_ACCOUNT_BYTES) return 'token_account';
  if (data.length === MINT_BYTES) return 'token_mint';
  if (data.length < TOKEN_ACCOUNT_BYTES || data.length === MULTISIG_BYTES) return 'contract';
  const type = data[TOKEN_ACCOUNT_BYTES];
  return type === IS_TOKEN_ACCOUNT ? 'token_account' : type === IS_MINT ? 'token_mint' : 'contract';
}

/** The wallet that owns a token account; null for any other address. */
export function ownerOfTokens(account: Account | null): string | null {
  if (account === null || kindOf(account) !== 'token_account') return null;
  const owner: Address = getAddressDecoder().decode(account.data.subarray(OWNER_OFFSET, OWNER_OFFSET + KEY_BYTES));
  return owner;
}

/** What a mint says of itself, if it is one. */
export async function mintFacts(providers: Providers, mint: string): Promise<TokenFacts> {
  const account = await providers.use((provider) => provider.call(accountAt(mint)));
  const isMint = account !== null && kindOf(account) === 'token_mint';
  return { address: mint, decimals: isMint ? (account.data[DECIMALS_OFFSET] ?? null) : null, symbol: null };
}

/** An account as it is now, with the beginning of its data. */
export interface Account {
  /** The program that it belongs to. */
  owner: string;
  isProgram: boolean;
  data: Uint8Array;
}

/** Null if the account does not exist. */
export function accountAt(account: string): Call<Account | null> {
  return {
    method: 'getAccountInfo',
    params: [account, { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 0, length: DATA_BYTES } }],
    parse: (value) => {
      const { value: found } = record(value, 'answer');
      if (found === null) return null;
      const { owner, executable, data } = record(found, 'account');
      if (typeof executable !== 'boolean') throw new MalformedAnswerError('account.executable is not a boolean');
      const [text] = list(data, 'account.data');
      if (typeof text !== 'string') throw new MalformedAnswerError('account.data is not a text');
      return {
        owner: address(owner, 'account.owner'),
        isProgram: executable,
        data: Buffer.from(text, 'base64').subarray(0, DATA_BYTES),
      };
    },
  };
}
