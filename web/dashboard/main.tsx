import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { forgetUnanswered, onSignedOut } from './lib/api.ts';
import { loadFirstLanguage, LanguageProvider } from './lib/i18n.tsx';
import { applyTheme } from './lib/theme.ts';
import { createDashboardRouter } from './router.tsx';
import './styles.css';

applyTheme();

// A press shows at once that its action runs. By a timer, a key pressed in between would close the dialog of its answer.
notifyManager.setScheduler(queueMicrotask);

const client = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, refetchOnWindowFocus: true },
    // Without a network an action fails at once and says so. It would otherwise wait, and happen later by itself.
    mutations: { networkMode: 'always' },
  },
});
const router = createDashboardRouter();

onSignedOut(() => {
  // Nothing of one login may remain for the next.
  client.clear();
  forgetUnanswered();
  const { pathname, searchStr } = router.state.location;
  if (pathname !== '/sign-in')
    void router.navigate({ to: '/sign-in', search: { to: pathname === '/' ? undefined : pathname + searchStr } });
});

const first = await loadFirstLanguage();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <LanguageProvider first={first}>
        <RouterProvider router={router} />
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
);
