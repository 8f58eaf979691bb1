import type { Context } from './context.ts';
import { findOrCreateDemoAccount } from './demo-account.ts';

/** What somebody who has just started the service wants to know. Only in development: it shows a key. */
export async function greeting(ctx: Context, url: string): Promise<string> {
  const demo = await findOrCreateDemoAccount(ctx);
  const base = ctx.config.publicUrl;
  return `
  Quittance is running (development profile, data in ${ctx.config.dataDir})

    API            ${base}/v1
    Documentation  ${base}/docs
    Health         ${url}/readyz

    Demo account   ${demo.email}
    Test key       ${demo.testKey}

  A first checkout:

    curl ${base}/v1/checkout/sessions -H 'Authorization: Bearer ${demo.testKey}' \\
      -H 'Content-Type: application/json' -d '{"amount":"49.00","currency":"USD","payout_wallet_id":"${demo.payoutWalletId}"}'

`;
}
