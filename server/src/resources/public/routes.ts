import { endpoints, type PublicSessionJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { readClock } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import { limitedClient } from '../../platform/http/admission/client.ts';
import { admitStream, EventStream } from '../../platform/http/event-stream.ts';
import { route } from '../../platform/http/route.ts';
import { findLinkOffer, LINK_QUOTA, openLink } from '../payment-links/open.ts';
import { actOnTestSession } from '../test-helpers/act.ts';
import { buildTransaction } from '../checkout-sessions/build-transaction.ts';
import { paySession } from '../checkout-sessions/pay.ts';
import {
  findOptions,
  findPublicView,
  presentPublicSession,
  presentWithOptions,
  sharedAnswer,
} from '../checkout-sessions/public-session.ts';
import { noteWaiting } from '../checkout-sessions/note-waiting.ts';
import { streamSession } from '../checkout-sessions/stream.ts';
import { submitTransaction } from '../checkout-sessions/submit-transaction.ts';

// Each request asks prices, providers or a chain, or creates a session, for anyone.
const MAX_PER_MINUTE = 60;

/** What a customer's page may do. There is no login: the unguessable id is the capability. */
export const publicRoutes = [
  route(endpoints.getPublicSession, async (ctx: Context, { params }) =>
    sharedAnswer(ctx, ctx.caches.publicSessions, params, async () => {
      const view = await findPublicView(ctx, params.id);
      await noteWaiting(ctx, view);
      return presentPublicSession(ctx, view);
    }),
  ),

  route(
    endpoints.payPublicSession,
    async (ctx: Context, { params, body, http }) =>
      presentPublicSession(ctx, await paySession(ctx, params.id, body, limitedClient(ctx.config, http.client))),
    { transaction: false, maxPerMinute: MAX_PER_MINUTE },
  ),

  route(
    endpoints.submitPublicTransaction,
    async (ctx: Context, { params, body, http }) =>
      submitTransaction(ctx, params.id, body, limitedClient(ctx.config, http.client)),
    { transaction: false, maxPerMinute: MAX_PER_MINUTE },
  ),

  route(
    endpoints.buildPublicTransaction,
    async (ctx: Context, { params, body }) => buildTransaction(ctx, params.id, body),
    { transaction: false, maxPerMinute: MAX_PER_MINUTE },
  ),

  route(
    endpoints.streamPublicSession,
    async (ctx: Context, { params, http }) => {
      const { session, payment } = await findPublicView(ctx, params.id);
      const client = limitedClient(ctx.config, http.client);
      const holder = client && admitStream(http.reply, { kind: 'client', who: client }, ctx.config.maxPublicStreams);
      const stream = new EventStream(http.reply, holder);
      streamSession(ctx, session.id, payment.id, stream);
      return stream;
    },
    { transaction: false },
  ),

  route(
    endpoints.openPaymentLink,
    async (ctx: Context, { db, params, body }, options: PublicSessionJson['options'] | undefined) => {
      const realNow = await readClock(db);
      const { session, payment } = await openLink(db, params.id, realNow, body);
      invariant(options, 'a link that is opened was there before');
      return presentWithOptions({ ...ctx, db }, { session, payment, now: session.createdAt }, options);
    },
    {
      prepare: async (ctx, { params }) => {
        const offer = await findLinkOffer(ctx.db, params.id);
        return offer && findOptions(ctx, offer, true);
      },
      maxPerMinute: MAX_PER_MINUTE,
      objectQuota: LINK_QUOTA,
    },
  ),

  route(
    endpoints.actOnTestSession,
    async (ctx: Context, { params, body, http }) =>
      presentPublicSession(
        ctx,
        await actOnTestSession(ctx, params.id, body.action, limitedClient(ctx.config, http.client)),
      ),
    { transaction: false, maxPerMinute: MAX_PER_MINUTE },
  ),
];
