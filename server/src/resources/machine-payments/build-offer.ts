import { type Asset, NETWORKS } from '@quittance/contract';
import type { Client } from '../../platform/http/admission/client.ts';
import type { Context } from '../../context.ts';
import type { TokenDomain } from '../../outside/chains/pure/authorization.ts';
import { type MachineAsset, machineAsset, TEST_DOMAIN } from '../../outside/chains/machine-networks.ts';
import { tokenAccountOf } from '../../outside/chains/pure/signed-solana-transfer.ts';
import { fail, TemporaryError } from '../../platform/errors.ts';
import { parseUnits } from '../../platform/money.ts';
import { later } from '../../platform/time.ts';
import { receiveAssetOf } from '../../settlement/outcome/assessed-payment.ts';
import { presentReference } from '../../settlement/records/present-payment.ts';
import { isReservedFor } from '../../settlement/records/reserved-amount-store.ts';
import { chooseDirect } from '../checkout-sessions/choose-direct.ts';
import { findPublicView, presentPayment, type PublicView } from '../checkout-sessions/public-session.ts';
import { canBeSigned, type Offer } from './offer.ts';
import { refuse } from './problem.ts';

const RETRY_AFTER_SECONDS = 10;

/**
 * What a program must pay for an open session. Reserves the exact amount if none is reserved, within the client's
 * budget and as the page does when its customer chooses, but does not start the payment: an unpaid request changes
 * nothing that a merchant sees.
 */
export async function buildOffer(ctx: Context, view: PublicView, client: Client | null): Promise<Offer> {
  const { session, payment } = view;
  // Before the network is asked, so that the offer's end does not depend on the time that takes.
  const now = await ctx.db.now();
  const asset = receiveAssetOf(payment);
  const machine = machineAsset(
    session.receiveNetwork,
    session.receiveAsset,
    session.livemode,
    ctx.config.networks[session.receiveNetwork],
  );
  if (!machine || !session.acceptedAssets.includes(asset.key))
    refuse(
      'method-unsupported',
      `Programs cannot pay this checkout: it takes no ${asset.asset} on ${asset.network} by a protocol ` +
        `for programs. Open ${ctx.config.publicUrl}/checkout/${session.id} instead.`,
    );
  await requireReachable(ctx, view, machine, client);

  const { amountUnits, seenUnits, isReserved, endsAt } = await amountOf(ctx, view, asset, client);
  const { host, hostname } = new URL(ctx.config.publicUrl);
  const offer: Offer = {
    accountId: session.accountId,
    sessionId: session.id,
    livemode: session.livemode,
    network: session.receiveNetwork,
    asset: asset.asset,
    decimals: asset.decimals,
    amountUnits,
    seenUnits,
    isReserved,
    payTo: session.receiveAddress,
    reference: presentReference(session.reference),
    description: session.description,
    resourceUrl: `${ctx.config.publicUrl}/checkout/${session.id}/pay`,
    realm: hostname === '' ? host : hostname,
    machine,
    domain: await domainOf(ctx, view, machine),
    facilitator: await facilitatorOf(ctx, view, machine),
    now,
    // In test mode the session's clock may be ahead of the real one, which ends signatures.
    endsAt: later(now, endsAt.getTime() - view.now.getTime()),
  };
  if (machine.family === 'evm' && !isReserved && !canBeSigned(offer))
    refuse(
      'method-unsupported',
      'Programs cannot pay this checkout now: its amount is not reserved, so only an authorization would ' +
        `name the payment, and none can be taken. Open ${ctx.config.publicUrl}/checkout/${session.id} instead.`,
    );
  return offer;
}

/**
 * The amount due, as the page shows it. It may be a plain amount that is not reserved, if the page's wallet sends a
 * reference.
 */
async function amountOf(
  ctx: Context,
  view: PublicView,
  asset: Asset,
  client: Client | null,
): Promise<Pick<Offer, 'amountUnits' | 'seenUnits' | 'isReserved' | 'endsAt'>> {
  let shown = await presentPayment(ctx, view, { isChosen: true });
  if (shown?.kind === 'routed')
    refuse('payment-in-progress', 'The customer of this checkout is paying with another coin, which is converted.');
  if (!shown || isOver(shown.quote_expires_at, view.now)) {
    await chooseDirect(ctx, view, { sender: null, client, start: false });
    shown = await presentPayment(ctx, await findPublicView(ctx, view.session.id), { isChosen: true });
  }
  const amountUnits = shown ? parseUnits(shown.amount_due, asset.decimals) : 0n;
  if (!shown || amountUnits === 0n)
    refuse('payment-in-progress', 'Money for this checkout is on its way. Ask again after a few seconds.');
  const seenUnits = parseUnits(shown.amount_seen, asset.decimals);
  const { session, payment, now } = view;
  const place = {
    livemode: session.livemode,
    network: asset.network,
    address: payment.receiveAddress,
    asset: asset.asset,
  };
  const isReserved = await isReservedFor(ctx.db, { place, amountUnits }, payment.id, now);
  const { expiresAt } = session;
  const lockedUntil = shown.quote_expires_at === null ? expiresAt : new Date(shown.quote_expires_at);
  return { amountUnits, seenUnits, isReserved, endsAt: lockedUntil < expiresAt ? lockedUntil : expiresAt };
}

function isOver(instant: string | null, now: Date): boolean {
  return instant !== null && new Date(instant) <= now;
}

/** A program must not pay on a network that cannot be read, nor into an account that does not exist. */
async function requireReachable(
  ctx: Context,
  { session }: PublicView,
  machine: MachineAsset,
  client: Client | null,
): Promise<void> {
  if (!session.livemode) return;
  const chain = ctx.chains.get(session.receiveNetwork);
  if (!chain?.health().reachable) unavailable(`${NETWORKS[session.receiveNetwork].name} cannot be reached right now.`);
  if (machine.family !== 'solana' || machine.mint === null) return;

  const account = await tokenAccountOf(session.receiveAddress, machine.mint);
  if (ctx.caches.tokenAccounts.has(account)) return;
  const accountWarning = await orUnavailable(chain?.accountKindOf?.(account, { client }));
  if (accountWarning !== 'token_account')
    refuse(
      'method-unsupported',
      'Programs cannot pay this checkout: the payout wallet has no token account yet. A first payment by a person creates it.',
    );
  ctx.caches.tokenAccounts.set(account, true);
}

export async function domainOf(
  ctx: Context,
  { session }: PublicView,
  machine: MachineAsset,
): Promise<TokenDomain | null> {
  if (machine.family !== 'evm') return null;
  if (!session.livemode) return TEST_DOMAIN;
  if (!ctx.facilitators.has(session.receiveNetwork)) return null;
  const { signed } = ctx.chains.get(session.receiveNetwork) ?? {};
  // Without the domain the other ways to pay are offered.
  return (await signed?.domain(machine.token).catch(nullIfTemporary)) ?? null;
}

/** Null unless the network's facilitator lists it. In test mode the built-in one accepts everything. */
export async function facilitatorOf(
  ctx: Context,
  { session }: PublicView,
  machine: MachineAsset,
): Promise<Offer['facilitator']> {
  if (!session.livemode) return { feePayer: TEST_FEE_PAYER };
  const kinds = (await ctx.facilitators.get(session.receiveNetwork)?.kinds()) ?? [];
  const kind = kinds.find(({ scheme, network }) => scheme === 'exact' && network === machine.caip2);
  return kind ? { feePayer: kind.feePayer } : null;
}

/** The fee payer of test sessions on Solana. No key for it exists, and nothing is sent. */
const TEST_FEE_PAYER = '48vBEMJiZWpPWdgu3N38JrbccFfxauyduS39Un4C7Gcu';

async function orUnavailable<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TemporaryError) unavailable('The network cannot be asked right now.', error);
    throw error;
  }
}

function nullIfTemporary(error: unknown): null {
  if (error instanceof TemporaryError) return null;
  throw error;
}

function unavailable(message: string, cause?: unknown): never {
  fail('service_unavailable', {
    message: `${message} Try again after \`Retry-After\` seconds.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
