import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { packageVersion } from './config.ts';
import type { Context } from './context.ts';
import { addHealth } from './health.ts';
import { createMetrics } from './metrics.ts';
import type { CredentialStore } from './platform/http/admission/authenticate.ts';
import { isFromInside } from './platform/http/admission/client.ts';
import type { Limiter } from './platform/http/admission/rate-limit.ts';
import { trustedProxies } from './platform/http/admission/trusted-proxies.ts';
import type { Route } from './platform/http/route.ts';
import { createServer } from './platform/http/server/server.ts';
import { accountRoutes } from './resources/accounts/routes.ts';
import { loginRoutes } from './resources/logins/routes.ts';
import { type BuiltPages, loadBuiltPages } from './resources/checkout-pages/built.ts';
import { drawNotice } from './resources/checkout-pages/notices.ts';
import { registerCheckoutPages } from './resources/checkout-pages/pages.ts';
import { publicRoutes } from './resources/public/routes.ts';
import { checkoutSessionRoutes } from './resources/checkout-sessions/routes.ts';
import { registerDashboardPages } from './resources/dashboard/pages.ts';
import { logRequests } from './resources/dashboard/request-log.ts';
import { customerRoutes } from './resources/customers/routes.ts';
import { dashboardRoutes } from './resources/dashboard/routes.ts';
import { registerDevPages } from './resources/dev/pages.ts';
import { docsRoutes, registerDocsPages } from './resources/docs/routes.ts';
import { invitationRoutes } from './resources/accounts/invitations/routes.ts';
import { registerMcp } from './resources/mcp/serve.ts';
import { paymentLinkRoutes } from './resources/payment-links/routes.ts';
import { paymentRoutes } from './resources/payments/routes.ts';
import { payoutRoutes } from './resources/payouts/routes.ts';
import { payoutWalletRoutes } from './resources/payout-wallets/routes.ts';
import { serveRefundPages } from './resources/refund-pages/pages.ts';
import { refundRoutes } from './resources/refunds/routes.ts';
import { quoteRoutes } from './resources/quotes/routes.ts';
import { receiptRoutes, registerReceiptPages } from './resources/receipts/routes.ts';
import { testHelperRoutes } from './resources/test-helpers/routes.ts';
import { transferRoutes } from './resources/transfers/routes.ts';
import { webhookRoutes } from './resources/webhooks/routes.ts';

/** Entry point 1: HTTP requests. */
export interface Api {
  /** Every resource's routes, the pages, and the service's health. */
  server: FastifyInstance;
  /** Health and metrics for monitoring, at a port of its own; null without one. */
  monitoring: FastifyInstance | null;
}

export function createApi(ctx: Context, needs: { credentials: CredentialStore; limiter: Limiter }): Api {
  const { config, db, log, secrets, pace } = ctx;
  const metrics = createMetrics(ctx);
  const isProxy = trustedProxies(config.trustedProxies);
  const isInside = (request: FastifyRequest) => config.metricsPort === null && isFromInside(request, isProxy);
  let built: BuiltPages | undefined;
  const server = createServer({
    ctx,
    ...needs,
    pace,
    writes: ctx.lines.writes,
    // A worker serves only its health.
    routes: config.role === 'worker' ? [] : ROUTES,
    pages: async (scope) => {
      addHealth(scope, ctx, isInside);
      if (config.role !== 'worker') {
        registerDocsPages(scope, ctx);
        registerReceiptPages(scope, ctx);
        registerMcp(scope, ctx, packageVersion());
        built = await loadBuiltPages();
        await registerCheckoutPages(scope, ctx, built, needs.limiter);
        serveRefundPages(scope, ctx, built, needs.limiter);
        await registerDashboardPages(scope, ctx, built);
        if (config.profile === 'development') registerDevPages(scope, ctx);
      }
      metrics.addPage(scope, isInside);
    },
    errorPage: (error, request, reply) => (built ? drawNotice(built, error, { request, reply }) : error.message),
    database: db,
    log,
    secrets,
    trustedProxies: config.trustedProxies,
    profile: config.profile,
    publicUrl: config.publicUrl,
  });
  metrics.measure(server);
  if (config.role !== 'worker') logRequests(server, ctx);
  return { server, monitoring: config.metricsPort === null ? null : createMonitoring(ctx, metrics) };
}

/** Answers everyone who reaches its port. Nothing there is worth the wait for a connection that says nothing. */
function createMonitoring(ctx: Context, metrics: ReturnType<typeof createMetrics>): FastifyInstance {
  const server = fastify({ logger: false, forceCloseConnections: true });
  addHealth(server, ctx, () => true);
  metrics.addPage(server, () => true);
  return server;
}

/** Every endpoint of the contract with its verb. */
const ROUTES: readonly Route<Context>[] = [
  ...loginRoutes,
  ...accountRoutes,
  ...invitationRoutes,
  ...payoutWalletRoutes,
  ...checkoutSessionRoutes,
  ...publicRoutes,
  ...paymentLinkRoutes,
  ...quoteRoutes,
  ...paymentRoutes,
  ...refundRoutes,
  ...payoutRoutes,
  ...receiptRoutes,
  ...transferRoutes,
  ...webhookRoutes,
  ...testHelperRoutes,
  ...docsRoutes,
  ...dashboardRoutes,
  ...customerRoutes,
];
