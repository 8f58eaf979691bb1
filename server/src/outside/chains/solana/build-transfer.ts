import { findAsset } from '@quittance/contract';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { invariant } from '../../../platform/errors.ts';
import type { TransferRequest } from '../chain.ts';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { mintOf } from './solana.ts';
import { associatedTokenAccount } from './token-accounts.ts';

/** The request with the chain's data. The recipient is the wallet itself, never a token account. */
export interface Transfer extends TransferRequest {
  recentBlockhash: string;
  /** Mints by asset, for a test cluster. */
  tokens?: Record<string, string>;
}

/**
 * An unsigned transfer in base64, for a wallet to sign and send. The memo directly precedes the transfer, which is
 * last.
 */
export async function buildTransfer(request: Transfer): Promise<string> {
  const also = (request.also ?? []).map((one) => ({ ...request, ...one }));
  invariant(
    [request, ...also].every(({ amountUnits }) => amountUnits > 0n),
    'a transfer has a positive amount',
  );
  const instructions = [
    ...(await Promise.all(also.map(plainTransfer))).flat(),
    ...(request.asset === 'SOL' ? [] : [await createTokenAccount(request)]),
    ...(request.memo === undefined ? [] : [memo(request.memo)]),
    withReference(request.asset === 'SOL' ? lamportTransfer(request) : await tokenTransfer(request), request.reference),
  ];
  // The cluster decides how long the transaction is valid. Only the hash is transmitted.
  const lifetime = { blockhash: request.recentBlockhash as never, lastValidBlockHeight: 0n };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(request.from as Address, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  );
  return getBase64EncodedWireTransaction(compileTransaction(message));
}

async function plainTransfer(request: Transfer): Promise<Instruction[]> {
  if (request.asset === 'SOL') return [lamportTransfer(request)];
  return [await createTokenAccount(request), await tokenTransfer(request)];
}

function lamportTransfer({ from, to, amountUnits }: Transfer): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(amountUnits, 4);
  return instruction(SYSTEM_PROGRAM, data, [
    [from, AccountRole.WRITABLE_SIGNER],
    [to, AccountRole.WRITABLE],
  ]);
}

/** Includes mint and decimals, so that a wallet can show what it signs. */
async function tokenTransfer({ from, to, asset, amountUnits, tokens }: Transfer): Promise<Instruction> {
  const decimals = findAsset(asset, 'solana')?.decimals;
  invariant(decimals, 'only assets of the Safe List are sent');
  const mint = mintOf(asset, tokens);
  const [source, destination] = await Promise.all([
    associatedTokenAccount(from, mint),
    associatedTokenAccount(to, mint),
  ]);
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0);
  data.writeBigUInt64LE(amountUnits, 1);
  data.writeUInt8(decimals, 9);
  return instruction(TOKEN_PROGRAM, data, [
    [source, AccountRole.WRITABLE],
    [mint, AccountRole.READONLY],
    [destination, AccountRole.WRITABLE],
    [from, AccountRole.READONLY_SIGNER],
  ]);
}

/** Does nothing if the account already exists. */
async function createTokenAccount({ from, to, asset, tokens }: Transfer): Promise<Instruction> {
  const mint = mintOf(asset, tokens);
  return instruction(ASSOCIATED_TOKEN_PROGRAM, Uint8Array.of(1), [
    [from, AccountRole.WRITABLE_SIGNER],
    [await associatedTokenAccount(to, mint), AccountRole.WRITABLE],
    [to, AccountRole.READONLY],
    [mint, AccountRole.READONLY],
    [SYSTEM_PROGRAM, AccountRole.READONLY],
    [TOKEN_PROGRAM, AccountRole.READONLY],
  ]);
}

function memo(text: string): Instruction {
  return instruction(MEMO_PROGRAM, new TextEncoder().encode(text), []);
}

function withReference(transfer: Instruction, reference: string | null): Instruction {
  return reference === null
    ? transfer
    : {
        ...transfer,
        accounts: [...(transfer.accounts ?? []), { address: reference as Address, role: AccountRole.READONLY }],
      };
}

function instruction(
  program: string,
  data: Uint8Array,
  accounts: readonly [address: string, role: AccountRole][],
): Instruction {
  return {
    programAddress: program as Address,
    data,
    accounts: accounts.map(([address, role]) => ({ address: address as Address, role })),
  };
}
