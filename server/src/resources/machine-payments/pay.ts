import type { Context } from '../../context.ts';
import { isSignedByPayer } from '../../outside/chains/pure/authorization.ts';
import { fail, TemporaryError } from '../../platform/errors.ts';
import { type Client, limitedClient } from '../../platform/http/admission/client.ts';
import { newId } from '../../platform/ids.ts';
import { later, SECOND_MS, MINUTE_MS } from '../../platform/time.ts';
import { directChoice, receiveAssetOf } from '../../settlement/outcome/assessed-payment.ts';
import { assertOpen, holdForChoice, saveChoice } from '../checkout-sessions/choice.ts';
import { findPublicView, type PublicView } from '../checkout-sessions/public-session.ts';
import { buildOffer } from './build-offer.ts';
import type { Offer } from './offer.ts';
import { PaymentProblemError, refuse } from './problem.ts';
import {
  type Credential,
  isProof,
  type ValidProof,
  mayMoveMoney,
  type Proof,
  replayKeyOf,
  type Trace,
} from './proof.ts';
import { readProof, requireOffered } from './read-credential.ts';
import { seal, send } from './send.ts';
import {
  findCredential,
  findCredentialById,
  findCredentialsOf,
  insertCredential,
  type StoredCredential,
} from './store.ts';
import { coverage } from '../../settlement/reading/coverage.ts';
import { findTransfersByHash } from '../../settlement/records/transfer-store.ts';

const SAME_NONCE =
  'Another open transaction of this account has the same nonce, so only one of them can be carried out. ' +
  'Once that has happened, sign one with the next nonce. If no block takes it, send any transaction with this nonce ' +
  'and a higher fee yourself.';
/** Before another process may send it, because the one that stored it does so at once. */
const SEND_AGAIN_MS = 30 * SECOND_MS;
export const MAX_CREDENTIALS_PER_PAYMENT = 20;
/** Anyone can make up a hash, so hashes leave room for credentials that prove something. */
export const MAX_HASHES_PER_PAYMENT = 10;

/**
 * Takes a program's credential for a session: compares it with the offer, stores it under its unique key, and only then
 * sends it. The same credential is sent once, however often and wherever it is presented. `client` is the
 * client that presents it, whose shares of the amounts and of the look-ups are used.
 */
export async function payByCredential(
  ctx: Context,
  view: PublicView,
  credential: Credential,
  client: Client,
): Promise<StoredCredential> {
  const { session } = view;
  if (credential.sessionId !== session.id)
    refuse('invalid-challenge', 'The credential answers the challenge of another checkout.');
  const proof = await readProof(ctx, credential, session.receiveNetwork === 'solana');
  const replayKey = replayKeyOf(proof, view.payment.id);
  const name = `${session.livemode} ${session.receiveNetwork} ${session.id} ${replayKey.toString('base64')}`;
  return ctx.caches.credentials.get(name, () => take(ctx, view, credential, { proof, replayKey, client }));
}

/** The stored credential, for a session that accepts no more. */
export async function findTaken(
  ctx: Context,
  { session, payment }: PublicView,
  credential: Credential,
): Promise<StoredCredential | null> {
  const proof = await readProof(ctx, credential, session.receiveNetwork === 'solana');
  const replayKey = replayKeyOf(proof, payment.id);
  const stored = await findCredential(ctx.db, session.livemode, session.receiveNetwork, replayKey);
  return stored?.paymentId === payment.id ? stored : null;
}

async function take(
  ctx: Context,
  view: PublicView,
  credential: Credential,
  { proof, replayKey, client }: { proof: Proof; replayKey: Buffer; client: Client },
): Promise<StoredCredential> {
  const stored = await findOwn(ctx, view, replayKey);
  if (stored) return stored;
  const { session } = view;
  const limited = limitedClient(ctx.config, client);
  const verify = async () => {
    // The wait in line may have been long, so the session is read again.
    const current = await findPublicView(ctx, session.id);
    assertOpen(current.payment, current.now);
    const offer = await buildOffer(ctx, current, limited);
    return { current, offer, verified: await verifyFor(ctx, offer, { credential, proof, client: limited }) };
  };
  // In test mode no network is asked.
  const { current, offer, verified } = await (session.livemode
    ? ctx.lines.credentials.inTurn(session.receiveNetwork, verify, limited)
    : verify());
  const inserted = await store(ctx, current, offer, { credential, proof, verified, replayKey });
  // Another process stored the same credential first, or its payer has an open transaction with the same nonce.
  if (!inserted) return (await findOwn(ctx, view, replayKey)) ?? refuse('payment-in-progress', SAME_NONCE);
  await send(ctx, inserted, verified.send, limited).catch((error) =>
    ctx.log.warn({ err: error, credentialId: inserted.id }, 'credential not sent yet'),
  );
  return (await findCredentialById(ctx.db, inserted.id)) ?? inserted;
}

/** Compares a new credential with the offer. Rejects it without another offer if it was carried out before. */
async function verifyFor(
  ctx: Context,
  offer: Offer,
  { credential, proof, client }: { credential: Credential; proof: Proof; client: Client | null },
): Promise<ValidProof> {
  try {
    requireOffered(credential, offer);
    return await proof.verify(offer);
  } catch (error) {
    if (error instanceof PaymentProblemError && (await wasUsedBefore(ctx, proof.trace, offer, client)))
      refuse('payment-in-progress', 'The credential was used before, so its money may have moved. Do not pay again.');
    throw error;
  }
}

/** The stored credential; rejected if another checkout took it. */
async function findOwn(ctx: Context, { session, payment }: PublicView, replayKey: Buffer) {
  const stored = await findCredential(ctx.db, session.livemode, session.receiveNetwork, replayKey);
  if (stored && stored.paymentId !== payment.id)
    refuse('invalid-challenge', 'The credential was used for another checkout.', 'credential_bound_elsewhere');
  return stored;
}

/** Starts the payment and stores the credential, in one commit; undefined if it is stored, or its nonce is taken. */
async function store(
  ctx: Context,
  view: PublicView,
  offer: Offer,
  taken: { credential: Credential; proof: Proof; verified: ValidProof; replayKey: Buffer },
): Promise<StoredCredential | undefined> {
  const { credential, proof, verified, replayKey } = taken;
  const { payment } = view;
  const now = await ctx.db.now();
  const id = newId('mc');
  const row: StoredCredential = {
    id,
    paymentId: payment.id,
    livemode: payment.livemode,
    network: payment.receiveNetwork,
    protocol: credential.protocol,
    kind: proof.kind,
    replayKey,
    payer: verified.payer,
    token: verified.token,
    nonce: verified.nonce,
    // In test mode no network has checked it.
    accountNonce: payment.livemode ? (verified.accountNonce ?? null) : null,
    validBefore: verified.validBefore,
    txHash: verified.txHash,
    credential: seal(ctx, id, verified.send),
    challengeId: credential.protocol === 'mpp' ? credential.challenge.id : null,
    state: 'open',
    attempts: 0,
    createdAt: now,
  };
  return ctx.db.transaction(async (db) => {
    const assessed = await holdForChoice(ctx, db, view, receiveAssetOf(payment));
    const others = await findCredentialsOf(db, payment.id);
    if (others.some((other) => other.replayKey.equals(replayKey))) return undefined;
    if (others.some(mayMoveMoney))
      refuse('payment-in-progress', 'Another credential for this checkout is being settled. Do not pay again.');
    if (others.length >= MAX_CREDENTIALS_PER_PAYMENT || isOneHashTooMany(row, others))
      fail('rate_limited', { message: 'This checkout has taken too many credentials.', retryAfterSeconds: 60 });
    // The amount is still reserved, and the lock on the payment keeps it from ending meanwhile. The networks were asked
    // since the offer was made, and with a part that has arrived in that time the credential would pay too much.
    if (assessed.direct.seenUnits !== offer.seenUnits)
      refuse('payment-in-progress', 'Money for this checkout is on its way. Ask again after a few seconds.');
    if (!(await insertCredential(db, row, later(now, SEND_AGAIN_MS)))) return undefined;
    const choice = directChoice(payment, { requiredUnits: assessed.direct.requiredUnits ?? offer.amountUnits });
    await saveChoice({ ctx, db, at: { created: view.now, recorded: now } }, assessed.payment, choice);
    return row;
  });
}

function isOneHashTooMany(one: StoredCredential, others: readonly StoredCredential[]): boolean {
  return !isProof(one) && others.filter((other) => !isProof(other)).length >= MAX_HASHES_PER_PAYMENT;
}

/** A network that is read this far behind may hold a payment that is not known yet. */
const MAX_UNREAD_MS = 2 * MINUTE_MS;

/**
 * Whether a credential that no record names may have moved money to the offer's wallet. After a restore the record of a
 * credential that was carried out may be lost, and its payer must not be asked to pay again. Throws `TemporaryError`
 * if too few providers can say. `client` is the client whose share of the look-ups is used.
 */
export async function wasUsedBefore(ctx: Context, trace: Trace, offer: Offer, client: Client | null): Promise<boolean> {
  const { network, machine } = offer;
  // In test mode no network carries anything out.
  if (!offer.livemode) return false;
  switch (trace.type) {
    case 'transaction':
      return hasUnattributedTransfer(ctx, trace.txHash, offer, client);
    case 'authorization': {
      const { signed } = ctx.chains.get(network) ?? {};
      if (machine.family !== 'evm' || !signed) return false;
      const { one } = trace;
      const domain = offer.domain ?? (await signed.domain(machine.token));
      // What its payer has not signed has moved nothing, so no network is asked about it.
      if (domain && !(await isSignedByPayer({ chainId: machine.chainId, address: machine.token, domain }, one)))
        return false;
      const isUsed = await signed.isUsed(machine.token, one.from, one.nonce);
      if (isUsed === null) throw new TemporaryError('the providers do not agree on whether an authorization was used');
      return isUsed;
    }
    case 'memo': {
      const covered = (await coverage(ctx, ctx.db)).get(network);
      return covered === undefined || covered < later(offer.now, -MAX_UNREAD_MS);
    }
  }
}

/**
 * Whether a transaction may have paid the offer's wallet and no payment has its transfer. Transfers that a payment has
 * are already deducted from what is due, or pay another checkout. That it failed is true once a quorum says so.
 */
async function hasUnattributedTransfer(
  ctx: Context,
  txHash: string,
  { livemode, network, payTo }: Offer,
  client: Client | null,
): Promise<boolean> {
  const found = await ctx.chains
    .get(network)
    ?.transaction(txHash, { addresses: new Set([payTo]) }, { budget: 'hint', client });
  if (!found || found.movedNothing) return false;
  if (!found.reverted && !found.transfers.some(({ to }) => to === payTo)) return false;
  const stored = await findTransfersByHash(ctx.db, livemode, network, txHash);
  const here = stored.filter(({ to, status }) => to === payTo && status !== 'dropped');
  return here.length === 0 || here.some(({ paymentId, handledAt }) => paymentId === null && handledAt === null);
}
