import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { createApiKey, deleteApiKey, rotateApiKey } from './api-keys.ts';
import { findKey, listKeys } from './key-store.ts';
import { presentAccount, presentApiKey, presentApiKeyWithSecret } from './present.ts';
import { findAccount } from './store.ts';
import { deleteToken, deleteTokensOfAccount } from './token-store.ts';
import { sealPaymaster, updateAccount } from './update-account.ts';

export const accountRoutes: Route<Context>[] = [
  route(endpoints.logout, async (_ctx: Context, { db, caller, http }) => {
    invariant(http.credentialHash, 'a login has a token');
    await deleteToken(db, caller.id, http.credentialHash);
    return { logged_out: true };
  }),

  route(endpoints.logoutEverywhere, async (_ctx: Context, { db, caller }) => {
    await deleteTokensOfAccount(db, caller.id);
    return { logged_out: true };
  }),

  route(endpoints.getAccount, async (ctx: Context, { caller }) => {
    const account = (await findAccount(ctx.db, caller.id)) ?? fail('not_found');
    return presentAccount(account, caller);
  }),

  route(endpoints.updateAccount, async (ctx: Context, { db, caller, body }) => {
    const account = await updateAccount(ctx, db, caller, {
      name: body.name,
      logoUrl: body.logo_url,
      brand: body.brand && {
        accentColor: body.brand.accent_color,
        backgroundColor: body.brand.background_color,
        theme: body.brand.theme,
        corners: body.brand.corners,
      },
      supportEmail: body.support_email,
      supportUrl: body.support_url,
      receiptDetails: body.receipt_details,
      frameParents: body.frame_parents,
      paymaster: sealPaymaster(ctx, caller.id, body.paymaster_url),
      toleranceBps: body.tolerance_bps,
      walletsByLoginOnly: body.wallets_by_login_only,
      confirmKeyWallets: body.confirm_key_wallets,
      notices: { ...body.email_notifications, receipt: body.email_receipts },
      sessionDefaults: body.session_defaults && {
        currency: body.session_defaults.currency,
        expiresInSeconds: body.session_defaults.expires_in,
        acceptedAssets: body.session_defaults.accepted_assets,
      },
    });
    return presentAccount(account, caller);
  }),

  route(endpoints.createApiKey, async (_ctx: Context, { db, caller, body, http }) => {
    http.reply.header('cache-control', 'no-store');
    return presentApiKeyWithSecret(
      await createApiKey(db, caller, {
        livemode: body.mode === 'live',
        label: body.label?.trim() || null,
        scopes: body.scopes,
      }),
      caller.realNow,
    );
  }),

  route(endpoints.getCurrentApiKey, async (ctx: Context, { caller }) => {
    const id = caller.keyId ?? fail('forbidden', { message: 'This needs a secret key; a login token has none.' });
    return presentApiKey((await findKey(ctx.db, caller.id, id)) ?? fail('not_found'), caller.realNow);
  }),

  route(endpoints.listApiKeys, async (ctx: Context, call) => {
    const { caller, query } = call;
    const livemode = query.mode === undefined ? null : query.mode === 'live';
    return listPage(call, ctx, {
      list: 'api_keys',
      prefix: 'key',
      filter: { mode: query.mode ?? null },
      find: (id) => findKey(ctx.db, caller.id, id),
      fetch: (page) => listKeys(ctx.db, caller.id, { livemode, ...page }),
      position: (key) => key,
      present: (key) => presentApiKey(key, caller.realNow),
    });
  }),

  route(endpoints.rotateApiKey, async (_ctx: Context, { db, caller, params, body, http }) => {
    http.reply.header('cache-control', 'no-store');
    const rotated = await rotateApiKey(db, caller, params.id, body.overlap_seconds ?? 0);
    return presentApiKeyWithSecret(rotated, caller.realNow);
  }),

  route(endpoints.deleteApiKey, async (_ctx: Context, { db, caller, params }) => {
    await deleteApiKey(db, caller, params.id);
    return { id: params.id, deleted: true };
  }),
];
