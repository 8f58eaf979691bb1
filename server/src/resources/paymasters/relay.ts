import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { type Address, type Hex, isAddress, toHex } from 'viem';
import type { Context } from '../../context.ts';
import { machineAsset } from '../../outside/chains/machine-networks.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { Client } from '../../platform/http/admission/client.ts';
import { sharedQuota } from '../../platform/http/admission/client-quota.ts';
import { refuseOver } from '../../platform/http/admission/admit.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { parseUnits } from '../../platform/money.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findAsset } from '@quittance/contract';
import { findPublicView, presentPublicSession, type PublicView } from '../checkout-sessions/public-session.ts';
import { findPaymaster, placeOf } from './store.ts';
import { objectionTo, sponsoredGwei } from './user-operation.ts';
import { isOpenPayment } from '../../settlement/records/payment.ts';

/** A ticket is valid for one attempt to pay, including the wallet's prompt. */
const TICKET_SECONDS = 600;
const TIMEOUT_MS = 10 * SECOND_MS;
const MAX_ANSWER_BYTES = 16 * 1024;
/** A wallet asks twice for one payment. */
const RELAYS_PER_HOUR = { checkout: 20, client: 60, account: 600 };
const PURPOSE = 'paymaster tickets';
const METHODS = ['pm_getPaymasterStubData', 'pm_getPaymasterData'];

/**
 * The address where a wallet reaches a paymaster for this checkout; null if the merchant has none or nothing is due.
 */
export async function openRelay(ctx: Context, sessionId: string): Promise<string | null> {
  const view = await findPublicView(ctx, sessionId);
  if (!isPayable(view) || (await findPaymaster(ctx.db, view.session.accountId)) === null) return null;
  const endsAt = Math.floor((await ctx.db.now()).getTime() / SECOND_MS) + TICKET_SECONDS;
  return `${ctx.config.publicUrl}/checkout/${sessionId}/paymaster/${endsAt}.${ticketFor(ctx, sessionId, endsAt)}`;
}

/** Passes one ERC-7677 request on to the merchant's paymaster, for an operation that is this checkout's transfer. */
export async function relay(
  ctx: Context,
  limiter: Pick<Limiter, 'quota'>,
  { sessionId, ticket, body, client }: { sessionId: string; ticket: string; body: unknown; client: Client },
): Promise<unknown> {
  await requireTicket(ctx, sessionId, ticket);
  const view = await findPublicView(ctx, sessionId);
  const { accountId } = view.session;
  const sealed = await findPaymaster(ctx.db, accountId);
  if (!isPayable(view) || !sealed) fail('not_found');
  const { id = null, method, params } = (body ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') refuseBody('`id` must be a string or a number.');
  if (typeof method !== 'string' || !METHODS.includes(method) || !Array.isArray(params) || params.length > 4)
    refuseBody(`\`method\` must be one of ${METHODS.join(', ')}, with its parameters.`);
  await requireOwnTransfer(ctx, view, params);
  await countRelay(limiter, { sessionId, accountId, client });

  const url = ctx.secrets.open(sealed, placeOf(accountId)).toString();
  // The context is the merchant's to give: what a wallet adds could choose a policy with a larger budget.
  const question = { jsonrpc: '2.0', id: 1, method, params: [...params.slice(0, 3), {}] };
  const answer = await ctx.outbound.post({
    owner: `${accountId} ${new URL(url).origin}`,
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json', 'accept-encoding': 'identity' },
    body: Buffer.from(JSON.stringify(question)),
    timeoutMs: TIMEOUT_MS,
    keptBytes: MAX_ANSWER_BYTES,
  });
  const { result, error } = readAnswer(answer.body);
  if (result === undefined)
    ctx.log.warn({ sessionId, status: answer.status, failure: answer.error }, 'paymaster returned no result');
  return result === undefined
    ? { jsonrpc: '2.0', id, error: error ?? { code: -32603, message: 'The paymaster is unavailable.' } }
    : { jsonrpc: '2.0', id, result };
}

/** Each relay may spend the merchant's money, and a payment link gives strangers as many checkouts as they like. */
export async function countRelay(
  limiter: Pick<Limiter, 'quota'>,
  { sessionId, accountId, client }: { sessionId: string; accountId: string; client: Client },
): Promise<void> {
  const ofClient = await limiter.quota('paymaster-relays-client', RELAYS_PER_HOUR.client, 3_600).take(client);
  refuseOver(ofClient, 'This client asked for a paymaster too often.');
  const ofCheckout = await limiter
    .quota('paymaster-relays', RELAYS_PER_HOUR.checkout, 3_600)
    .take(Client.only(sessionId));
  refuseOver(ofCheckout, 'This checkout asked its paymaster too often.');
  const countOfAccount = sharedQuota(limiter, {
    name: 'paymaster-relays-account',
    most: RELAYS_PER_HOUR.account,
    perClient: RELAYS_PER_HOUR.client,
    seconds: 3_600,
    message: 'The checkouts of this merchant asked their paymaster too often.',
    messageToClient: 'This client asked for the paymaster of this merchant too often.',
  });
  await countOfAccount(accountId, client);
}

function isPayable({ session, payment, now }: PublicView): boolean {
  return (
    session.livemode && sponsoredGwei(session.receiveNetwork) > 0 && isOpenPayment(payment) && now < payment.expiresAt
  );
}

function ticketFor(ctx: Context, sessionId: string, endsAt: number): string {
  return ctx.secrets.keyedHash(`${sessionId} ${endsAt}`, PURPOSE).toString('base64url');
}

async function requireTicket(ctx: Context, sessionId: string, ticket: string): Promise<void> {
  const [, end = '', given = ''] = /^(\d{1,12})\.([A-Za-z0-9_-]{43})$/.exec(ticket) ?? [];
  const expected = Buffer.from(ticketFor(ctx, sessionId, Number(end)));
  const isOurs = given.length === expected.length && timingSafeEqual(Buffer.from(given), expected);
  if (!isOurs || Number(end) * SECOND_MS < (await ctx.db.now()).getTime()) fail('not_found');
}

/** Other calls would spend the merchant's paymaster balance. */
async function requireOwnTransfer(ctx: Context, view: PublicView, params: unknown[]): Promise<void> {
  const { session } = view;
  const machine = machineAsset(
    session.receiveNetwork,
    session.receiveAsset,
    true,
    ctx.config.networks[session.receiveNetwork],
  );
  const [operation, entryPoint, chainId] = params;
  if (machine?.family !== 'evm' || typeof entryPoint !== 'string' || !isAddress(entryPoint))
    refuseBody('`params` must hold a user operation and an entry point, for a checkout that is paid in a token.');
  if (chainId !== toHex(machine.chainId)) refuseBody(`\`params[2]\` must be ${toHex(machine.chainId)}.`);
  const { payment } = await presentPublicSession(ctx, view);
  const asset = findAsset(session.receiveAsset, session.receiveNetwork);
  if (payment?.kind !== 'direct' || !asset) refuseBody('No direct payment was chosen yet.');
  const amountUnits = parseUnits(payment.amount_due, asset.decimals);
  if (amountUnits === 0n) refuseBody('Nothing is due.');
  const objection = objectionTo(operation, {
    network: session.receiveNetwork,
    token: machine.token as Address,
    to: payment.address as Address,
    amountUnits,
    tag: payment.tag as Hex | null,
  });
  if (objection !== null) refuseBody(`\`params[0]\` ${objection}.`);
}

function refuseBody(message: string): never {
  throw new ApiError('invalid_request', { message });
}

function readAnswer(text: string | null): { result?: unknown; error?: { code: number; message: string } } {
  try {
    const { result, error } = JSON.parse(text ?? '') as {
      result?: unknown;
      error?: { code?: unknown; message?: unknown };
    };
    if (result !== undefined && result !== null) return { result };
    const message = typeof error?.message === 'string' ? error.message.slice(0, 200) : 'The paymaster refused.';
    return { error: { code: typeof error?.code === 'number' ? error.code : -32000, message } };
  } catch {
    return {};
  }
}
