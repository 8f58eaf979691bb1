import { type LoginNetwork, NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { type Client, limitedClient } from '../../platform/http/admission/client.ts';
import { newId } from '../../platform/ids.ts';
import { openAccount, readInvitation, readSignUp } from '../accounts/invitations/admit.ts';
import { findDefaultWallet, insertWallet } from '../payout-wallets/store.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { type ProofMethod, registerOwner } from '../../settlement/records/address-owner-store.ts';
import { defaultLabel } from '../payout-wallets/payout-wallet.ts';
import { issueLoginToken } from '../accounts/login-token.ts';
import { findLiveNonces, type LoginNonce, takeNonce } from './nonce-store.ts';
import { isSignedByContract, isSignedByKey } from '../accounts/signed-by-wallet.ts';
import { findOrCreateWalletAccount, findWalletAccount } from '../accounts/store.ts';

/** A contract wallet costs requests to its chain. Routes that verify wallets share this quota. */
export const WALLET_QUOTA = { name: 'wallet verification', perMinute: 60 };

export interface WalletLogin {
  token: string;
  /** The live wallet; it has a twin in test mode. */
  payoutWalletId: string;
}

/**
 * Logs a wallet in by its signature of a text that was issued to it. An invalid signature uses nothing up, so that a
 * stranger cannot spoil a login. Runs outside a transaction, because a contract wallet may have to be verified on its
 * chain.
 */
export async function verifyWallet(
  ctx: Context,
  request: {
    address: string;
    network: LoginNetwork;
    signature: string;
    invitation: string | undefined;
    client: Client;
  },
): Promise<WalletLogin> {
  const { network, signature } = request;
  const verdict = validateAddress(network, request.address);
  if (!verdict.ok) fail('invalid_signature', { param: 'address', message: verdict.why });
  const { address } = verdict;

  const now = await ctx.db.now();
  const nonces = await findLiveNonces(ctx.db, network, address, now);
  const signed =
    (await findSigned(ctx, nonces, { network, address, signature, client: request.client })) ??
    fail('invalid_signature', { param: 'signature' });

  return ctx.db.transaction(async (db) => {
    if (!(await takeNonce(db, signed.nonce.id, now))) fail('invalid_signature', { param: 'signature' });
    const accountId =
      (await findWalletAccount(db, { network, address })) ??
      (await openWalletAccount(ctx, db, {
        network,
        address,
        now,
        method: signed.method,
        invitation: request.invitation,
      }));

    const wallet = await findDefaultWallet(db, { id: accountId, livemode: true });
    invariant(wallet, 'a wallet account has its payout wallet');
    return { token: await issueLoginToken(db, { accountId, method: 'wallet', now }), payoutWalletId: wallet.id };
  });
}

async function openWalletAccount(
  ctx: Context,
  db: Transaction,
  login: {
    network: LoginNetwork;
    address: string;
    now: Date;
    method: ProofMethod;
    invitation: string | undefined;
  },
): Promise<string> {
  const { now } = login;
  const invitation = await readInvitation(db, await readSignUp(ctx, db), login.invitation, now);
  return openAccount(ctx, db, {
    invitationId: invitation?.id ?? null,
    now,
    find: () => findWalletAccount(db, login),
    async create() {
      const account = await findOrCreateWalletAccount(db, { id: newId('acc'), ...login });
      if (account.isNew) await saveItsWallets(db, account.id, login);
      return account.id;
    },
  });
}

/** The text that the wallet signed. */
async function findSigned(
  ctx: Context,
  nonces: LoginNonce[],
  {
    network,
    address,
    signature,
    client,
  }: { network: LoginNetwork; address: string; signature: string; client: Client },
): Promise<{ nonce: LoginNonce; method: ProofMethod } | undefined> {
  const signed = nonces.map((nonce) => ({ network, address, message: nonce.message, signature }));
  for (const [index, nonce] of nonces.entries()) {
    const one = signed[index];
    if (one && (await isSignedByKey(one))) return { nonce, method: 'signature' };
  }
  // One after the other, so that one request has one check at a time.
  const asker = { for: 'login', client: limitedClient(ctx.config, client) } as const;
  for (const [index, nonce] of nonces.entries()) {
    const one = signed[index];
    if (one && (await isSignedByContract(ctx, one, asker))) return { nonce, method: 'contract' };
  }
  return undefined;
}

/**
 * The login wallet is the account's one payout wallet, in both modes. The login's signature proves it, unless another
 * account has proved it.
 */
async function saveItsWallets(
  db: Transaction,
  accountId: string,
  { network, address, now, method }: { network: LoginNetwork; address: string; now: Date; method: ProofMethod },
): Promise<void> {
  for (const livemode of [true, false]) {
    await insertWallet(db, {
      id: newId('pp'),
      accountId,
      livemode,
      asset: 'USDC',
      network,
      address,
      label: defaultLabel('USDC', network),
      isDefault: true,
      archivedAt: null,
      proof: 'proved',
      needsProof: false,
      // The key of a token account can sign too.
      lookUpAt: livemode && NETWORKS[network].family === 'solana' ? now : null,
      unfit: null,
      unconfirmed: false,
      createdBy: 'login',
      createdAt: now,
    });
    await registerOwner(db, { livemode, network, address, accountId, method, at: now });
  }
}
