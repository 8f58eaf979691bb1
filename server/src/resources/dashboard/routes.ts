import { type Asset, PAY_ASSETS, RECEIVE_ASSETS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { invariant } from '../../platform/errors.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { deleteToken, deleteTokensOfAccount } from '../accounts/token-store.ts';
import { LOGO_QUOTA, uploadLogo } from '../accounts/logos/upload.ts';
import { LOOK_UP_QUOTA } from '../payout-wallets/look-up-address.ts';
import { VERIFICATION_QUOTA, verifyEmailCode, verifyEmailLink } from '../logins/verify-email-code.ts';
import { verifyWallet, WALLET_QUOTA } from '../logins/verify-wallet.ts';
import { readSignUp } from '../accounts/invitations/admit.ts';
import { readAttention } from './attention.ts';
import { suggestPayments } from './suggest-payments.ts';
import { checkPayoutAddress } from './check-address.ts';
import * as endpoints from '@quittance/contract/dashboard';
import { readMoney } from './money.ts';
import { readOnboarding } from './onboarding.ts';
import { readActivity } from './overview.ts';
import { buildRefund, checkRefund, planRefund } from './refund.ts';
import { findLogged, listLogged, presentLogged } from './request-log-store.ts';
import { searchAll } from './search.ts';
import { forgetSession, keepSession, refuseForeignSignIn } from './session.ts';
import { planSending } from './send-refunds.ts';
import { signDelivery } from './sign-delivery.ts';

export const dashboardRoutes: Route<Context>[] = [
  route(
    endpoints.signInByEmail,
    async (ctx: Context, { body, http }) => {
      refuseForeignSignIn(ctx, http.request);
      keepSession(ctx, http.reply, await verifyEmailCode(ctx, { ...body, client: http.client }));
      return { signed_in: true };
    },
    { transaction: false, quota: VERIFICATION_QUOTA },
  ),

  route(
    endpoints.signInByLink,
    async (ctx: Context, { body, http }) => {
      refuseForeignSignIn(ctx, http.request);
      keepSession(ctx, http.reply, await verifyEmailLink(ctx, body));
      return { signed_in: true };
    },
    { transaction: false, quota: VERIFICATION_QUOTA },
  ),

  route(
    endpoints.signInByWallet,
    async (ctx: Context, { body, http }) => {
      refuseForeignSignIn(ctx, http.request);
      const { token } = await verifyWallet(ctx, { ...body, invitation: body.invitation, client: http.client });
      keepSession(ctx, http.reply, token);
      return { signed_in: true };
    },
    { transaction: false, quota: WALLET_QUOTA },
  ),

  route(endpoints.readSignUp, async (ctx: Context) => ({ sign_up: await readSignUp(ctx) })),

  route(endpoints.signOut, async (ctx: Context, { db, caller, body, http }) => {
    invariant(http.credentialHash, 'a login has a token');
    if (body.everywhere) await deleteTokensOfAccount(db, caller.id);
    else await deleteToken(db, caller.id, http.credentialHash);
    forgetSession(ctx, http.reply);
    return { signed_in: false };
  }),

  route(endpoints.readAssets, async () => ({ pay: PAY_ASSETS.map(named), receive: RECEIVE_ASSETS.map(named) })),
  // Days that a test clock is ahead of real time are summed at every view.
  route(endpoints.readOverview, (ctx: Context, { caller, query }) => readActivity(ctx, caller, query.days ?? 30), {
    isLong: true,
  }),
  route(endpoints.readAttention, (ctx: Context, { caller }) => readAttention(ctx, caller), { isLong: true }),
  route(endpoints.readOnboarding, (ctx: Context, { caller }) => readOnboarding(ctx, caller)),
  // A busy sender's address reads ten thousand transfers.
  route(endpoints.search, (ctx: Context, { caller, query }) => searchAll(ctx, caller, query), {
    quota: { name: 'search', perMinute: 60, by: 'account' },
    isLong: true,
  }),

  route(endpoints.listRequests, (ctx: Context, call) =>
    listPage(call, ctx, {
      list: 'requests',
      prefix: 'req',
      filter: { failed: call.query.failed === true },
      find: (id) => findLogged(ctx.db, call.caller, id),
      fetch: (page) => listLogged(ctx.db, call.caller, call.query.failed === true, page),
      position: (row) => ({ createdAt: row.at, id: row.id }),
      present: presentLogged,
    }),
  ),

  route(endpoints.readMoney, (ctx: Context, { caller, params }) => readMoney(ctx, caller, params.id)),
  route(
    endpoints.suggestPayments,
    (ctx: Context, { caller, params, query }) => suggestPayments(ctx, caller, params.id, query.q),
    { quota: { name: 'suggested-payments', perMinute: 60, by: 'account' }, isLong: true },
  ),
  route(endpoints.planRefund, (ctx: Context, { caller, params, query }) => planRefund(ctx, caller, params.id, query), {
    quota: LOOK_UP_QUOTA,
  }),
  route(endpoints.planSending, (ctx: Context, { caller, body }) => planSending(ctx, caller, body), {
    transaction: false,
    quota: LOOK_UP_QUOTA,
  }),
  // These ask the chain.
  route(
    endpoints.buildRefund,
    (ctx: Context, { caller, params, body }) =>
      buildRefund(ctx, caller, params.id, { from: body.from.trim(), to: body.to.trim(), amount: body.amount }),
    { transaction: false, quota: LOOK_UP_QUOTA },
  ),
  route(
    endpoints.checkRefund,
    (ctx: Context, { caller, params, body }) =>
      checkRefund(ctx, caller, params.id, { txHash: body.tx_hash.trim(), address: body.address.trim() }),
    { transaction: false, quota: LOOK_UP_QUOTA },
  ),
  route(endpoints.checkAddress, (ctx: Context, { caller, query }) => checkPayoutAddress(ctx, caller, query), {
    quota: LOOK_UP_QUOTA,
  }),
  route(endpoints.uploadLogo, (ctx: Context, { db, caller, body }) => uploadLogo(ctx, db, caller, body.picture), {
    quota: LOGO_QUOTA,
  }),
  route(endpoints.signDelivery, (ctx: Context, { caller, params }) => signDelivery(ctx, caller, params.id)),
];

function named({ key, asset, network }: Asset): endpoints.AssetJson {
  return { key, asset, network };
}
