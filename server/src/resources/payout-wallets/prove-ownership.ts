import { findAsset, NETWORKS, type ProofStatus, type WalletMessage, walletText } from '@quittance/contract';
import { randomInt } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { recordDispute, registerOwner } from '../../settlement/records/address-owner-store.ts';
import { signingFamilyOf } from '../accounts/signed-by-wallet.ts';
import { findAccount } from '../accounts/store.ts';
import {
  countTransferChallenges,
  deleteChallenges,
  findChallenge,
  findTransferChallenge,
  saveChallenge,
  saveTransferChallenge,
  type TransferChallenge,
} from './challenge-store.ts';
import type { ProofVerdict, SentProof } from './verify-proof.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { findWallet } from './store.ts';

const CHALLENGE_LIFE_MS = 5 * MINUTE_MS;
/** The signers of a multisignature wallet need days. */
const TRANSFER_LIFE_MS = 3 * DAY_MS;
const MAX_CHALLENGES_PER_ADDRESS = 5;
const TRIES = 20;

export interface WalletProof {
  walletId: string;
  status: ProofStatus;
  proved: boolean;
  message: string | null;
  expiresInSeconds: number | null;
  transfer: TransferChallenge | null;
}

/**
 * Proves that an address is the account's: first issues a text to sign and an amount to transfer, then accepts either.
 */
export async function proveWalletOwnership(
  ctx: Pick<Context, 'log' | 'config'>,
  db: Transaction,
  caller: Caller,
  { id, sent, proved }: { id: string; sent: SentProof; proved: ProofVerdict },
): Promise<WalletProof> {
  const wallet = (await findWallet(db, caller, id)) ?? fail('not_found', { param: 'id' });
  if (wallet.proof === 'proved') return answer(wallet);
  if (wallet.archivedAt)
    fail('invalid_payout_wallet', {
      param: 'id',
      message: 'An archived wallet cannot be proved. Save the address as a new wallet first.',
    });
  if (sent.signature === undefined && sent.tx_hash === undefined) return challenge(ctx, db, wallet, caller.realNow);

  if (!proved || !(await isStillOpen(db, wallet, proved, caller.realNow))) {
    return fail('invalid_signature', {
      param: sent.signature === undefined ? 'tx_hash' : 'signature',
      message:
        sent.signature === undefined
          ? 'The amount to transfer has changed or expired. Send an empty body to get a new one.'
          : 'The signature does not match a message issued for this wallet in the last five minutes. Send ' +
            'a request without a signature to get a new message, and sign it unchanged.',
    });
  }
  await own(ctx, db, wallet, { method: proved.method, at: caller.now });
  await deleteChallenges(db, wallet.id);
  return answer((await findWallet(db, caller, id)) ?? wallet);
}

/** Another challenge may have been issued while the proof was verified. */
async function isStillOpen(
  db: Transaction,
  wallet: PayoutWallet,
  proved: NonNullable<ProofVerdict>,
  now: Date,
): Promise<boolean> {
  if (proved.method === 'transfer')
    return (await findTransferChallenge(db, wallet.id, now))?.amountUnits === proved.amountUnits;
  return (await findChallenge(db, wallet.id, now))?.message === proved.message;
}

/** The first proof wins. A later one by another account changes nothing and raises an alarm for the operator. */
async function own(
  ctx: Pick<Context, 'log'>,
  db: Transaction,
  wallet: PayoutWallet,
  { method, at }: { method: NonNullable<ProofVerdict>['method']; at: Date },
): Promise<void> {
  const { livemode, network, address, accountId } = wallet;
  const proof = { livemode, network, address, accountId, method, at };
  const ownerId = await registerOwner(db, proof);
  if (ownerId === accountId) return;

  if (await recordDispute(db, proof, ownerId))
    db.afterCommit(() =>
      ctx.log.error(
        { alarm: 'address_disputed', walletId: wallet.id, accountId, ownerId, network, method },
        'address disputed: a second account proved it',
      ),
    );
}

function answer(wallet: PayoutWallet): WalletProof {
  return {
    walletId: wallet.id,
    status: wallet.proof,
    proved: wallet.proof === 'proved',
    message: null,
    expiresInSeconds: null,
    transfer: null,
  };
}

async function challenge(
  { config }: Pick<Context, 'config'>,
  db: Transaction,
  wallet: PayoutWallet,
  now: Date,
): Promise<WalletProof> {
  const expiresAt = later(now, CHALLENGE_LIFE_MS);
  const message = proofText(wallet, {
    publicUrl: config.publicUrl,
    accountName: (await findAccount(db, wallet.accountId))?.name ?? null,
    nonce: randomBase62(22),
    issuedAt: now,
    expiresAt,
  });
  await saveChallenge(db, wallet.id, { message, expiresAt });
  return {
    ...answer(wallet),
    // Without a signature an address is proved by a transfer.
    message: signingFamilyOf(wallet.network) === null ? null : message,
    expiresInSeconds: CHALLENGE_LIFE_MS / SECOND_MS,
    transfer: wallet.livemode ? await transferChallenge(db, wallet, now) : null,
  };
}

/** Names the server and the account, so that the owner of an address signs it for no other of them. */
function proofText(
  { id, network, address, accountId }: PayoutWallet,
  { accountName, ...issued }: Omit<WalletMessage, 'network' | 'address'> & { accountName: string | null },
): string {
  const row = NETWORKS[network];
  // EIP-4361 has only these characters in a statement.
  const name = accountName?.replace(/[^A-Za-z0-9 ._~:/?#[\]@!$&'()*+,;=-]+/g, '').trim();
  return walletText(
    { ...issued, network: row.family === 'evm' ? 'ethereum' : 'solana', address },
    {
      statement:
        `Prove that this address on ${row.name} belongs to the account ${accountId}${name ? ` of ${name}` : ''}. ` +
        'This moves no funds.',
      ...(row.family === 'evm' && { chainId: String(row.chainId) }),
      about: id,
    },
  );
}

/** Returns the open challenge, so that a repeated request does not spoil a transfer that is being signed. */
async function transferChallenge(db: Transaction, wallet: PayoutWallet, now: Date): Promise<TransferChallenge | null> {
  const open = await findTransferChallenge(db, wallet.id, now);
  if (open) return open;
  // An account that saves one address a thousand times must not use up the amounts.
  if ((await countTransferChallenges(db, wallet.accountId, wallet, now)) >= MAX_CHALLENGES_PER_ADDRESS) return null;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const fresh = { ...randomTransfer(wallet), createdAt: now, expiresAt: later(now, TRANSFER_LIFE_MS) };
    if (await saveTransferChallenge(db, wallet.id, fresh)) return fresh;
  }
  return null;
}

/**
 * A random amount worth between a cent and a dollar. Native coins of EVM networks show no transfer of a contract to
 * itself, so USDC on the same network is used instead.
 */
function randomTransfer({ asset, network, address }: PayoutWallet) {
  const isToken = findAsset(asset, network)?.address !== null;
  const proving = isToken || network === 'solana' ? asset : 'USDC';
  const decimals = findAsset(proving, network)?.decimals ?? 6;
  return {
    network,
    address,
    asset: proving,
    // A hundredth of that for SOL, which is worth more.
    amountUnits: BigInt(randomInt(10_000, 1_000_000)) * 10n ** BigInt(proving === 'SOL' ? decimals - 8 : decimals - 6),
  };
}
