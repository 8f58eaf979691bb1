import { existsSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { addHealth } from './health.ts';
import { createMetrics } from './metrics.ts';
import type { CredentialStore } from './platform/http/authenticate.ts';
import type { Limiter } from './platform/http/rate-limit.ts';
import type { Route } from './platform/http/route.ts';
import { createServer } from './platform/http/server.ts';
import { registerCheckoutPages } from './resources/checkout-pages/pages.ts';
import { registerDocsPages } from './resources/docs/routes.ts';

interface ApiNeeds {
  credentials: CredentialStore;
  limiter: Limiter;
}

/** Door 1: HTTP requests. Every noun's routes, the pages, and how the service itself is doing. */
export async function createApi(ctx: Context, needs: ApiNeeds): Promise<FastifyInstance> {
  const { config, db, log, secrets } = ctx;
  const metrics = createMetrics(ctx);
  const server = createServer({
    ctx,
    ...needs,
    // A worker tells how it is doing, and nothing else.
    routes: config.role === 'worker' ? [] : await routes(),
    pages: async (scope) => {
      addHealth(scope, ctx);
      if (config.role !== 'worker') {
        registerDocsPages(scope, ctx);
        await registerCheckoutPages(scope, ctx);
      }
      metrics.addPage(scope);
    },
    database: db,
    log,
    secrets,
    trustedProxies: config.trustedProxies,
    profile: config.profile,
    publicUrl: config.publicUrl,
  });
  metrics.measure(server);
  return server;
}

async function routes(): Promise<Route<Context>[]> {
  const found: Route<Context>[] = [];
  for (const [file, name] of [
    ['accounts/routes', 'accountRoutes'],
    ['payout-wallets/routes', 'payoutWalletRoutes'],
    ['checkout-sessions/routes', 'checkoutSessionRoutes'],
    ['checkout-sessions/public-routes', 'publicRoutes'],
    ['payment-links/routes', 'paymentLinkRoutes'],
    ['quotes/routes', 'quoteRoutes'],
    ['payments/routes', 'paymentRoutes'],
    ['payments/transfer-routes', 'transferRoutes'],
    ['webhooks/routes', 'webhookRoutes'],
    ['test-helpers/routes', 'testHelperRoutes'],
    ['docs/routes', 'docsRoutes'],
  ]) {
    const url = new URL(`./resources/${file}.ts`, import.meta.url);
    if (!existsSync(url)) continue;
    try {
      found.push(...(await import(url.href))[name as string]);
    } catch (error) {
      process.stderr.write(`${file} cannot be loaded: ${(error as Error).message}\n`);
    }
  }
  return found;
}
