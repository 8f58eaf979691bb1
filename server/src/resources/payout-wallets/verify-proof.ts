import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Chain, Transfer } from '../../outside/chains/chain.ts';
import type { Caller } from '../../platform/caller.ts';
import { fail, TemporaryError } from '../../platform/errors.ts';
import { Client } from '../../platform/http/admission/client.ts';
import { later } from '../../platform/time.ts';
import { EARLY_TOLERANCE_MS } from '../../settlement/records/amounts.ts';
import type { ProofMethod } from '../../settlement/records/address-owner-store.ts';
import { finalityRule, isFinal, LARGE_USD_MINOR } from '../../settlement/verification/finality.ts';
import { isSignedByContract, isSignedByKey } from '../accounts/signed-by-wallet.ts';
import { findChallenge, findTransferChallenge, type TransferChallenge } from './challenge-store.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { findWallet } from './store.ts';

const RETRY_AFTER_SECONDS = 5;

export interface SentProof {
  signature?: string | undefined;
  tx_hash?: string | undefined;
}

/** What a signature or a transaction proved: the method and the challenge, or nothing. */
export type ProofVerdict =
  | { method: 'signature' | 'contract'; message: string }
  | { method: 'transfer'; amountUnits: bigint }
  | null;

/** Verifies a proof outside a transaction, because a contract's signature and a transfer are read from the chain. */
export async function verifyProof(ctx: Context, caller: Caller, id: string, sent: SentProof): Promise<ProofVerdict> {
  if (sent.signature !== undefined && sent.tx_hash !== undefined)
    fail('invalid_signature', {
      param: 'tx_hash',
      message: 'Send either `signature` or `tx_hash`, not both.',
    });
  const wallet = await findWallet(ctx.db, caller, id);
  if (!wallet) return null;
  if (sent.signature !== undefined) return verifySignatureProof(ctx, caller, wallet, sent.signature);
  return sent.tx_hash === undefined ? null : verifyTransferProof(ctx, caller, wallet, sent.tx_hash);
}

async function verifySignatureProof(
  ctx: Context,
  caller: Caller,
  wallet: PayoutWallet,
  signature: string,
): Promise<ProofVerdict> {
  const open = await findChallenge(ctx.db, wallet.id, caller.realNow);
  if (!open) return null;
  const signed = { ...wallet, message: open.message, signature };
  const method: ProofMethod | undefined = (await isSignedByKey(signed))
    ? 'signature'
    : (await isSignedByContract(ctx, signed, { for: 'proof', client: Client.only(caller.id) }))
      ? 'contract'
      : undefined;
  return method ? { method, message: open.message } : null;
}

/** Only the owner of an address can send its money to itself, so a transfer from another sender proves nothing. */
async function verifyTransferProof(
  ctx: Context,
  caller: Caller,
  wallet: PayoutWallet,
  txHash: string,
): Promise<ProofVerdict> {
  const challenge = await findTransferChallenge(ctx.db, wallet.id, caller.realNow);
  if (!challenge)
    fail('invalid_signature', {
      param: 'tx_hash',
      message: 'There is no open transfer to prove this wallet by. Send an empty body to get a new amount.',
    });
  const chain = ctx.chains.get(wallet.network) ?? unreachable(wallet.network);
  try {
    const found = await findSelfTransfer(chain, challenge, txHash, caller.id);
    if (!found)
      fail('invalid_signature', {
        param: 'tx_hash',
        message:
          'No transfer of the given amount from the address to itself was found in this transaction. The ' +
          'address must send the tokens itself, not a spender that it approved. If the transaction is ' +
          'new, try again once it is confirmed.',
      });
    if (!(await isSettled(ctx, chain, found)))
      fail('invalid_signature', {
        param: 'tx_hash',
        message: 'This transaction is correct but not final yet. Send the same hash again in a few minutes.',
      });
    return { method: 'transfer', amountUnits: challenge.amountUnits };
  } catch (error) {
    if (error instanceof TemporaryError) return unreachable(wallet.network, error);
    throw error;
  }
}

async function findSelfTransfer(
  chain: Chain,
  challenge: TransferChallenge,
  txHash: string,
  accountId: string,
): Promise<Transfer | undefined> {
  const watching = { addresses: new Set([challenge.address]), selfTransfers: true as const };
  const found = await chain.transaction(txHash, watching, { budget: 'proof', client: Client.only(accountId) });
  return found?.transfers.find((transfer) => isProof(transfer, challenge));
}

export function isProof(
  transfer: Pick<Transfer, 'from' | 'to' | 'asset' | 'network' | 'amountUnits' | 'block'>,
  challenge: TransferChallenge,
): boolean {
  return (
    transfer.network === challenge.network &&
    transfer.from === challenge.address &&
    transfer.to === challenge.address &&
    transfer.asset === challenge.asset &&
    transfer.amountUnits === challenge.amountUnits &&
    transfer.block.time >= later(challenge.createdAt, -EARLY_TOLERANCE_MS) &&
    transfer.block.time <= challenge.expiresAt
  );
}

/** Ownership is permanent, so the quorum of providers and the network's strictest finality decide. */
async function isSettled(ctx: Context, chain: Chain, transfer: Transfer): Promise<boolean> {
  const rule = finalityRule(transfer.network, LARGE_USD_MINOR, ctx.config.networks[transfer.network].confirmations);
  const watching = { addresses: new Set([transfer.to]), selfTransfers: true as const };
  const verdict = await chain.check(transfer, watching, undefined, {
    tags: true,
    isEnough: (head) => isFinal(rule, transfer.block.number, head),
  });
  if (verdict.type !== 'stands' || verdict.alone) return false;
  return isFinal(rule, verdict.transfer.block.number, verdict.head);
}

function unreachable(network: ReceiveNetwork, cause?: unknown): never {
  return fail('service_unavailable', {
    param: 'tx_hash',
    message: `No provider of ${network} can be asked about this transaction right now. Try again after \`Retry-After\` seconds.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
