import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Link, Outlet } from '@tanstack/react-router';
import { useT } from './lib/i18n.tsx';
import { readAsked, readAskedLink } from './lib/open-on-load.ts';
import { Shell } from './shell.tsx';
import { buttonClass, Card, Empty, Heading, Problem } from './ui/basic.tsx';
import { HomeView } from './views/home.tsx';
import { readPaymentsSearch } from './views/payments-search.ts';

const root = createRootRoute({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string | undefined; notice?: string | undefined } => ({
    // Only paths of the dashboard: a link must not lead anywhere else.
    to: typeof search.to === 'string' && /^\/(?![/\\])/.test(search.to) ? search.to : undefined,
    notice: typeof search.notice === 'string' ? search.notice : undefined,
  }),
  component: lazyRouteComponent(() => import('./views/sign-in.tsx'), 'SignInView'),
});

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const home = createRoute({ getParentRoute: () => shell, path: '/', component: HomeView });
const payments = createRoute({
  getParentRoute: () => shell,
  path: '/payments',
  validateSearch: readPaymentsSearch,
  component: lazyRouteComponent(() => import('./views/payments.tsx'), 'PaymentsView'),
});
const payment = createRoute({
  getParentRoute: () => shell,
  path: '/payments/$id',
  validateSearch: (search: Record<string, unknown>): { surplus?: true | undefined } => ({
    surplus: search.surplus === true || undefined,
  }),
  // What is open or typed for one payment must not stay open over another.
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => import('./views/payment.tsx'), 'PaymentView'),
});
const customers = createRoute({
  getParentRoute: () => shell,
  path: '/customers',
  validateSearch: readTexts('q'),
  component: lazyRouteComponent(() => import('./views/customers.tsx'), 'CustomersView'),
});
const customer = createRoute({
  getParentRoute: () => shell,
  path: '/customers/one',
  validateSearch: readTexts('reference', 'email'),
  component: lazyRouteComponent(() => import('./views/customer.tsx'), 'CustomerView'),
});
const transfers = createRoute({
  getParentRoute: () => shell,
  path: '/transfers',
  validateSearch: readAll,
  component: lazyRouteComponent(() => import('./views/transfers.tsx'), 'TransfersView'),
});
const refunds = createRoute({
  getParentRoute: () => shell,
  path: '/refunds',
  validateSearch: readAll,
  component: lazyRouteComponent(() => import('./views/refunds.tsx'), 'RefundsView'),
});
const payouts = createRoute({
  getParentRoute: () => shell,
  path: '/payouts',
  validateSearch: readAll,
  component: lazyRouteComponent(() => import('./views/payouts.tsx'), 'PayoutsView'),
});
const wallets = createRoute({
  getParentRoute: () => shell,
  path: '/wallets',
  validateSearch: readAsked,
  component: lazyRouteComponent(() => import('./views/wallets.tsx'), 'WalletsView'),
});
const links = createRoute({
  getParentRoute: () => shell,
  path: '/links',
  validateSearch: readAskedLink,
  component: lazyRouteComponent(() => import('./views/links.tsx'), 'LinksView'),
});
const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  validateSearch: readAsked,
  component: lazyRouteComponent(() => import('./views/webhooks.tsx'), 'WebhooksView'),
});
const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks/$id',
  remountDeps: ({ params }) => params,
  validateSearch: (search: Record<string, unknown>): { status?: string | undefined } => ({
    status: typeof search.status === 'string' ? search.status : undefined,
  }),
  component: lazyRouteComponent(() => import('./views/webhook.tsx'), 'WebhookView'),
});
const keys = createRoute({
  getParentRoute: () => shell,
  path: '/keys',
  validateSearch: readAsked,
  component: lazyRouteComponent(() => import('./views/keys.tsx'), 'KeysView'),
});
const requests = createRoute({
  getParentRoute: () => shell,
  path: '/requests',
  validateSearch: (search: Record<string, unknown>): { failed?: true | undefined } => ({
    failed: search.failed === true || undefined,
  }),
  component: lazyRouteComponent(() => import('./views/requests.tsx'), 'RequestsView'),
});
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(() => import('./views/settings.tsx'), 'SettingsView'),
});

function readAll(search: Record<string, unknown>): { all?: true | undefined } {
  return { all: search.all === true || undefined };
}

/** The router parses text that looks like a number as one. */
function readTexts<Name extends string>(...names: Name[]) {
  return (search: Record<string, unknown>) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        search[name] === undefined ? undefined : String(search[name]).slice(0, 254) || undefined,
      ]),
    ) as { [Each in Name]?: string | undefined };
}

const missing = createRoute({ getParentRoute: () => shell, path: '$', component: NotFoundView });

export function createDashboardRouter() {
  return createRouter({
    basepath: '/dashboard',
    routeTree: root.addChildren([
      signIn,
      shell.addChildren([
        home,
        payments,
        payment,
        customers,
        customer,
        transfers,
        refunds,
        payouts,
        wallets,
        links,
        webhooks,
        webhook,
        keys,
        requests,
        settings,
        missing,
      ]),
    ]),
    defaultPreload: 'intent',
    // If a view's file is missing, because a newer version is served now, reloading the page brings it back.
    defaultErrorComponent: ({ error }) => (
      <main className="mx-auto max-w-lg p-8">
        <Problem error={error} retry={() => location.reload()} />
      </main>
    ),
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
}

/** Inside the shell, with the navigation. */
function NotFoundView() {
  const t = useT();
  return (
    <>
      <Heading title={t('Page not found')} />
      <Card flush>
        <Empty
          title={t('There is nothing at this address.')}
          action={
            <Link to="/" className={buttonClass('primary')}>
              {t('Back to the dashboard')}
            </Link>
          }
        />
      </Card>
    </>
  );
}
