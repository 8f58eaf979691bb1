import type { Context } from './context.ts';
import { findOrCreateDemoAccount } from './demo/account.ts';
import type { DemoAccount } from './demo/store.ts';
import { openDemoShop, seedDemoShop } from './demo/shop.ts';
import { createLoginLink } from './resources/logins/create-login-link.ts';

/** Of requests to a server that has ended, or ends meanwhile. */
const CLOSED = ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'];

/** What a developer needs who has just started the service. Development only, because it shows a key. Never throws. */
export async function greeting(ctx: Context, url: string, options: { demo: boolean }): Promise<string> {
  try {
    return await greetWithDemo(ctx, url, options);
  } catch (error) {
    ctx.log.warn({ err: error }, 'demo account not created');
    return (
      `\n  Quittance is running at ${ctx.config.publicUrl} (development profile, data in ` +
      `${ctx.config.dataDir}), without its demo account.\n\n`
    );
  }
}

async function greetWithDemo(ctx: Context, url: string, options: { demo: boolean }): Promise<string> {
  const account = await findOrCreateDemoAccount(ctx);
  const shop = options.demo ? await openShopIfPossible(ctx, url, account) : undefined;
  const demo = shop?.demo ?? account;
  const base = ctx.config.publicUrl;
  // Seeding continues while the developer opens the first page.
  if (options.demo) {
    seedDemoShop(ctx, url, demo).catch((error) => {
      // A developer who stops the service that early knows why.
      if (!CLOSED.includes(error.cause?.code))
        ctx.log.warn({ err: error }, 'demo shop incomplete: the next start continues');
    });
  }
  return `
  Quittance is running. Start here:

    Dashboard      ${base}/dashboard/open?token=${await createLoginLink(ctx, demo.accountId)}
                   A demo shop with a month of payments. The link works once, for 30 minutes
${
  shop
    ? `    Checkout       ${shop.checkoutUrl}
                   Open it and simulate a payment (no wallet or funds needed)
`
    : ''
}    Guide          ${base}/docs/guides/first-payment
                   From here to a verified webhook, in about five minutes

  Connect your own code, in test mode:

    API            ${base}/v1
    Test key       ${demo.testKey}
${
  demo.webhook
    ? `    Webhook secret ${demo.webhook.secret}
`
    : ''
}
    curl ${base}/v1/checkout/sessions -H 'Authorization: Bearer ${demo.testKey}' \\
      -H 'Content-Type: application/json' -d '{"amount":"49.00","currency":"USD"}'

  Also on this server: ${base}/docs (documentation), /dev (inboxes for mail and webhooks), /readyz (health).
  Signed in as ${demo.email}; data in ${ctx.config.dataDir}; LOG_LEVEL=info logs every request.

`;
}

async function openShopIfPossible(
  ctx: Context,
  url: string,
  account: DemoAccount,
): Promise<{ demo: DemoAccount; checkoutUrl: string } | undefined> {
  try {
    return await openDemoShop(ctx, url, account);
  } catch (error) {
    ctx.log.warn({ err: error }, 'demo checkout not created');
    return undefined;
  }
}
