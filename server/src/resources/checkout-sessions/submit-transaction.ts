import { NETWORKS, type BodyOf, type endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { HASH_FORMS, transactionHashIn } from '../../outside/chains/pure/transaction-hash.ts';
import { assertNever, fail } from '../../platform/errors.ts';
import type { Client } from '../../platform/http/admission/client.ts';
import { HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { findOrders, recordDepositHint } from '../../settlement/records/route-order-store.ts';
import { claimText, verifyClaim } from '../../settlement/attribution/claim.ts';
import {
  claimExpiry,
  insertClaim,
  MAX_CLAIMS_PER_PAYMENT,
  MAX_CLAIMS_PER_SIGNER,
  type NewClaim,
} from '../../settlement/attribution/claim-store.ts';
import { signalDemand } from '../../settlement/records/demand.ts';
import { doubtMissing } from '../../settlement/reading/doubt-missing.ts';
import { saveReverted } from '../../settlement/reading/reverted-store.ts';
import { insertHint, MAX_HINTS_PER_PAYMENT } from '../../settlement/attribution/hint-store.ts';
import { receiveHinted } from '../../settlement/attribution/attribute-transfer.ts';
import { processClaim } from '../../settlement/attribution/verify-claims.ts';
import { emptyReporterOf, reporterOf } from '../../settlement/records/contested.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { extendQuarantine } from '../../settlement/records/reserved-amount-store.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { findPublicView, type PublicView } from './public-session.ts';

export type TransactionNotice = BodyOf<typeof endpoints.submitPublicTransaction>;

/**
 * The customer submits a transaction hash. Without a signature it is a hint; signed by the account that it debits it is
 * a claim. Every receipt is public, so a hash proves nothing. `client` is the client whose share of the look-ups is
 * used.
 */
export async function submitTransaction(
  ctx: Context,
  sessionId: string,
  notice: TransactionNotice,
  client: Client | null = null,
): Promise<{ accepted: true }> {
  const view = await findPublicView(ctx, sessionId);
  const txHash = readHash(view, notice.tx_hash);
  const claim = await readClaim(view, txHash, notice);
  const claimId = await storeNotice(ctx, view, txHash, claim);

  await hintProvider(ctx, view, txHash);
  await lookAt(ctx, view, txHash, client).catch((error) =>
    ctx.log.info({ err: error, network: view.session.receiveNetwork }, 'hinted transaction not read yet'),
  );
  if (claimId !== undefined) await processClaim(ctx, claimId);
  return { accepted: true };
}

/** The signer of the claim, as far as that is known without asking a chain. Undefined without a claim. */
async function readClaim(
  { session }: PublicView,
  txHash: string,
  notice: TransactionNotice,
): Promise<Pick<NewClaim, 'signer' | 'signature'> | undefined> {
  const network = session.receiveNetwork;
  // Only a transfer to the merchant can be claimed, never the deposit of a conversion on another network.
  if (notice.signature === undefined || transactionHashIn(network, txHash) !== txHash) return undefined;
  const sender = notice.sender === undefined ? undefined : validateAddress(network, notice.sender);
  if (sender && !sender.ok) return fail('invalid_request', { param: 'sender', message: sender.why });

  const verdict = await verifyClaim({
    network,
    message: claimText({ sessionId: session.id, network, txHash }),
    signature: notice.signature,
    sender: sender?.address,
  });
  switch (verdict.type) {
    case 'verified':
      return { signer: verdict.signer, signature: null };
    case 'unverified':
      return verdict;
    case 'not_signed':
      return fail('invalid_signature', {
        param: 'signature',
        message: 'The signature does not match the sender, session, network and transaction.',
      });
    case 'malformed':
      return fail('invalid_request', { param: verdict.field, message: verdict.why });
    default:
      return assertNever(verdict);
  }
}

/** Stores the hint and the claim within their limits, or neither. Returns the claim's id. */
async function storeNotice(
  ctx: Context,
  { payment }: PublicView,
  txHash: string,
  claim: Pick<NewClaim, 'signer' | 'signature'> | undefined,
): Promise<bigint | undefined> {
  const now = await ctx.db.now();
  const expiresAt = claimExpiry(payment, now);
  return ctx.db.transaction(async (db) => {
    await lockPayments(db, [payment.id]);
    if (!(await insertHint(db, payment, txHash, { now, expiresAt }))) {
      const message =
        `This checkout reached its limit of ${MAX_HINTS_PER_PAYMENT} submitted transactions. Payments are ` +
        'also found automatically; contact the merchant if yours is not.';
      fail('rate_limited', { param: 'tx_hash', message, retryAfterSeconds: HOUR_MS / SECOND_MS });
    }
    await extendQuarantine(db, [payment.id]);
    if (payment.livemode) db.afterCommit(() => signalDemand(ctx.db, payment.receiveNetwork));
    if (!claim) return undefined;

    const { paymentId, livemode, network } = {
      paymentId: payment.id,
      livemode: payment.livemode,
      network: payment.receiveNetwork,
    };
    const inserted = await insertClaim(db, { paymentId, livemode, network, txHash, ...claim, expiresAt }, now);
    switch (inserted.type) {
      case 'stored':
        return inserted.id;
      case 'too_many_of_payment':
        return fail('rate_limited', {
          param: 'signature',
          message: `This checkout reached its limit of ${MAX_CLAIMS_PER_PAYMENT} claims. Contact the merchant.`,
          retryAfterSeconds: HOUR_MS / SECOND_MS,
        });
      case 'too_many_of_signer': {
        const message =
          `This sender reached the limit of ${MAX_CLAIMS_PER_SIGNER} claims to the transaction. Try again ` +
          'in a few minutes, or contact the merchant.';
        return fail('rate_limited', { param: 'signature', message, retryAfterSeconds: (5 * MINUTE_MS) / SECOND_MS });
      }
      default:
        return assertNever(inserted);
    }
  });
}

/** A provider is asked to look at most this often, however many hints arrive. */
const HINT_AGAIN_MS = 10 * SECOND_MS;

/** A provider finds a deposit sooner if it knows the transaction. */
async function hintProvider(ctx: Context, { payment }: PublicView, txHash: string): Promise<void> {
  if (payment.route !== 'routed' || !payment.livemode) return;
  const order = (await findOrders(ctx.db, payment.id)).findLast(
    (one) => one.payAsset === payment.payAsset && one.payNetwork === payment.payNetwork,
  );
  const router = ctx.routers.find((one) => one.name === order?.provider);
  const now = await ctx.db.now();
  if (!order || !(await recordDepositHint(ctx.db, order.id, now, later(now, -HINT_AGAIN_MS)))) return;
  await router
    ?.hint?.(order, txHash)
    .catch((error) => ctx.log.info({ err: error, provider: order.provider }, 'route provider rejected a deposit hint'));
  ctx.db.notify('routes');
}

/** Reads the transaction at once instead of waiting for the watcher. */
async function lookAt(
  ctx: Context,
  { session, payment }: PublicView,
  txHash: string,
  client: Client | null,
): Promise<void> {
  const chain = session.livemode ? ctx.chains.get(session.receiveNetwork) : undefined;
  const watching = { addresses: new Set([payment.receiveAddress]) };
  const found = await chain?.transaction(txHash, watching, { budget: 'hint', client });
  if (!chain || !found) return;
  const now = await ctx.db.now();
  const { receiveNetwork: network } = session;
  const { transfers, reverted } = found;
  if (reverted) {
    const about = { network, reverted, reporter: emptyReporterOf(chain, found), namedFor: payment.id, block: null };
    return saveReverted(ctx.db, about, now);
  }
  const reporter = reporterOf(chain, found.provider);
  await ctx.db.transaction((db) => receiveHinted(ctx, db, { network, transfers, reporter }, now));
  await doubtMissing(ctx.db, { network, blocks: null, txHash }, { watching, transfers });
}

/** The hash as its network writes it: the network of the chosen asset, or that of the payout wallet. */
function readHash({ session, payment }: PublicView, text: string): string {
  for (const network of [payment.payNetwork, session.receiveNetwork]) {
    const hash = transactionHashIn(network, text);
    if (hash !== undefined) return hash;
  }
  const { name, family } = NETWORKS[payment.payNetwork];
  return fail('invalid_request', {
    param: 'tx_hash',
    message: `Not a valid transaction hash for ${name}. It must be ${HASH_FORMS[family]}.`,
  });
}
