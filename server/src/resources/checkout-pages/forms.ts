import { findAssetByKey, TEST_ACTIONS, type TestAction } from '@quittance/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { clientOf, limitedClient } from '../../platform/http/admission/client.ts';
import { clientQuota } from '../../platform/http/admission/client-quota.ts';
import type { Limiter } from '../../platform/http/admission/rate-limit.ts';
import { pathId } from '../../platform/http/page.ts';
import { paySession } from '../checkout-sessions/pay.ts';
import { findPublicView } from '../checkout-sessions/public-session.ts';
import { retrySession } from '../checkout-sessions/retry.ts';
import { submitTransaction } from '../checkout-sessions/submit-transaction.ts';
import { receiveAssetOf } from '../../settlement/outcome/assessed-payment.ts';
import type { MachineDoor } from '../machine-payments/routes.ts';
import { actOnTestSession } from '../test-helpers/act.ts';
import type { BuiltPages } from './built.ts';
import { type PageExchange, showCheckout, withNotices } from './show.ts';

/** The same limit as for these requests of the API. */
const SENT_PER_MINUTE = 60;

type Form = Record<string, string | undefined>;

/** Handles the page's forms for browsers without its script: acts, and shows the page again. */
export function serveForms(
  server: FastifyInstance,
  ctx: Context,
  pages: BuiltPages,
  { limiter, door }: { limiter: Limiter; door: MachineDoor },
): void {
  const count = clientQuota({ limiter, profile: ctx.config.profile }, 'checkout-forms', SENT_PER_MINUTE);
  server.post('/checkout/:id/pay', (request, reply) => {
    const option = optionOf(bodyOf(request));
    // Only the page's own form names an option; every other request is a program's.
    if (door.isFor(request) || option === undefined) return door.answer(request, reply);
    return withNotices(pages, request, reply, async () => {
      await count(clientOf(request));
      return choose(ctx, pages, { request, reply }, option);
    });
  });

  server.post('/checkout/:id/again', (request, reply) =>
    withNotices(pages, request, reply, async () => {
      await count(clientOf(request));
      return tryAgain(ctx, { request, reply });
    }),
  );

  server.post('/checkout/:id/transactions', (request, reply) =>
    withNotices(pages, request, reply, async () => {
      const { tx_hash: typed = '' } = bodyOf(request);
      await count(clientOf(request));
      const act = () =>
        submitTransaction(
          ctx,
          pathId('cs', request),
          { tx_hash: typed.trim() },
          limitedClient(ctx.config, clientOf(request)),
        );
      const exchange = { request, reply };
      return actAndShow(ctx, pages, exchange, { act, kept: { typed }, nextQuery: '?view=noticed' });
    }),
  );

  server.post('/checkout/:id/test', (request, reply) =>
    withNotices(pages, request, reply, async () => {
      const { action } = bodyOf(request);
      await count(clientOf(request));
      if (!isTestAction(action)) throw new ApiError('invalid_request', { param: 'action' });
      const act = () =>
        actOnTestSession(ctx, pathId('cs', request), action, limitedClient(ctx.config, clientOf(request)));
      return actAndShow(ctx, pages, { request, reply }, { act });
    }),
  );
}

/** Starts the payment in the chosen coin. A routed coin needs a refund address first. */
async function choose(ctx: Context, pages: BuiltPages, exchange: PageExchange, option: string): Promise<unknown> {
  const { request, reply } = exchange;
  const { refund_address: refundAddress, exchange: said } = bodyOf(request);
  const isByExchange = said !== undefined;
  const asset = findAssetByKey(option) ?? fail('not_found');
  const { payment } = await findPublicView(ctx, pathId('cs', request));
  const isRouted = asset.key !== receiveAssetOf(payment).key;
  if (isRouted && refundAddress === undefined)
    return reply.redirect(
      `${pageOf(request)}?asset=${asset.asset}&network=${asset.network}${isByExchange ? '&view=exchange' : ''}`,
      303,
    );

  const choice = {
    pay_asset: asset.asset,
    pay_network: asset.network,
    ...(refundAddress !== undefined && { refund_address: refundAddress.trim() }),
  };
  const act = () => paySession(ctx, pathId('cs', request), choice, limitedClient(ctx.config, clientOf(request)));
  const kept = { typed: refundAddress ?? '', exchange: isByExchange };
  return actAndShow(ctx, pages, exchange, { act, kept, nextQuery: isByExchange ? '?view=exchange' : '' });
}

/** Leads to the session in which an ended one is tried again; otherwise its page says what became of it. */
async function tryAgain(ctx: Context, { request, reply }: PageExchange): Promise<unknown> {
  try {
    return reply.redirect(`/checkout/${await retrySession(ctx, pathId('cs', request))}`, 303);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_payment_state')
      return reply.redirect(pageOf(request), 303);
    throw error;
  }
}

/** What a form asks for, what the page keeps if it is rejected, and the query of the page after it. */
interface Act {
  act: () => Promise<unknown>;
  kept?: Parameters<typeof showCheckout>[3];
  nextQuery?: string;
}

/** Does what a form asks and shows the page again. A rejected form shows the error and keeps the input. */
async function actAndShow(
  ctx: Context,
  pages: BuiltPages,
  exchange: PageExchange,
  { act, kept, nextQuery = '' }: Act,
): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'not_found') throw error;
    return showCheckout(ctx, pages, exchange, {
      ...kept,
      status: error.status,
      error: { code: error.code, param: error.param },
    });
  }
  return exchange.reply.redirect(`${pageOf(exchange.request)}${nextQuery}`, 303);
}

function pageOf(request: FastifyRequest): string {
  return `/checkout/${pathId('cs', request)}`;
}

export function bodyOf(request: FastifyRequest): Form {
  // A field that is sent twice arrives as a list, and counts as missing.
  return Object.fromEntries(
    Object.entries((request.body ?? {}) as Record<string, unknown>).filter(([, value]) => typeof value === 'string'),
  ) as Form;
}

/** The chosen option. The list of coins sends the coin, and for every coin a network. */
function optionOf({ option, coin, ...fields }: Form): string | undefined {
  return option ?? (coin && `${coin}_${fields[`network_${coin}`] ?? ''}`);
}

function isTestAction(action: string | undefined): action is TestAction {
  return (TEST_ACTIONS as readonly (string | undefined)[]).includes(action);
}
