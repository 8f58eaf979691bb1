import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { issueNonce } from './issue-nonce.ts';
import { startEmailLogin } from './start-email-login.ts';
import { VERIFICATION_QUOTA, verifyEmailCode } from './verify-email-code.ts';
import { verifyWallet, WALLET_QUOTA } from './verify-wallet.ts';

/** Each of these writes a row for any address. */
const LOGIN_STARTS_PER_MINUTE = 60;

export const loginRoutes: Route<Context>[] = [
  route(
    endpoints.startEmailLogin,
    async (ctx: Context, { db, body, http }) => {
      const { expiresInSeconds } = await startEmailLogin(ctx, db, {
        email: body.email,
        client: http.client,
        invitation: body.invitation,
      });
      return { expires_in: expiresInSeconds, sent: true };
    },
    { maxPerMinute: LOGIN_STARTS_PER_MINUTE },
  ),

  // Without a transaction: the try is committed before the code is compared.
  route(
    endpoints.verifyEmailCode,
    async (ctx: Context, { body, http }) => ({
      session_token: await verifyEmailCode(ctx, { ...body, client: http.client }),
    }),
    { transaction: false, quota: VERIFICATION_QUOTA },
  ),

  route(
    endpoints.issueNonce,
    async (ctx: Context, { db, body }) => {
      const { message, expiresInSeconds } = await issueNonce(ctx, db, {
        address: body.address,
        network: body.network ?? 'ethereum',
      });
      return { nonce: message, expires_in: expiresInSeconds };
    },
    { maxPerMinute: LOGIN_STARTS_PER_MINUTE },
  ),

  // Without a transaction: a contract wallet is verified on its chain.
  route(
    endpoints.verifyWallet,
    async (ctx: Context, { body, http }) => {
      const { token, payoutWalletId } = await verifyWallet(ctx, {
        ...body,
        client: http.client,
        network: body.network ?? 'ethereum',
        invitation: body.invitation,
      });
      return { session_token: token, payout_wallet_id: payoutWalletId };
    },
    { transaction: false, quota: WALLET_QUOTA },
  ),
];
