import type { Mode } from '@quittance/contract';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { ApiError, currentMode, isNotFound, storeMode } from './lib/api.ts';
import { useT } from './lib/i18n.tsx';
import { useLiveUpdates } from './lib/live.ts';
import { ModeContext, type ModeGuard, useAccount, useMode } from './lib/state.tsx';
import { Palette } from './palette.tsx';
import { PLACES } from './places.ts';
import { Header } from './shell/header.tsx';
import { Navigation } from './shell/navigation.tsx';
import { Problem } from './ui/basic.tsx';
import { Dialog } from './ui/dialog.tsx';

const SEQUENCE_MS = 1_200;

const Shortcuts = lazy(() => import('./shortcuts.tsx'));

/** The frame of every view: the navigation, the account, and the mode. */
export function Shell() {
  const [mode, setModeState] = useState<Mode>(currentMode);
  const guard = useRef<ModeGuard>(null);
  const setMode = useCallback((next: Mode) => {
    const change = () => {
      storeMode(next);
      setModeState(next);
    };
    if (guard.current) guard.current(change);
    else change();
  }, []);
  const state = useMemo(() => ({ mode, setMode, guard }), [mode, setMode]);
  return (
    <ModeContext value={state}>
      <SignedIn />
    </ModeContext>
  );
}

const SKIP =
  'sr-only focus:not-sr-only focus:fixed focus:z-20 focus:m-2 focus:rounded-lg ' +
  'focus:bg-accent focus:px-4 focus:py-2 focus:text-on-accent';

function SignedIn() {
  const t = useT();
  const { mode } = useMode();
  const account = useAccount();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const router = useRouter();
  useLiveUpdates(mode);
  useOtherTabs();

  useEffect(() => router.subscribe('onResolved', () => setMenuOpen(false)), [router]);
  useShortcuts({ search: () => setPaletteOpen((open) => !open), help: () => setHelpOpen(true) });

  // A signed-out visitor is being redirected to the sign-in page.
  if (account.error instanceof ApiError && account.error.status === 401) return null;
  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#main" className={SKIP}>
        {t('Skip to content')}
      </a>
      {mode === 'test' && <div className="h-1 bg-test" aria-hidden="true" />}
      <div className="flex flex-1">
        <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-e border-line bg-surface lg:flex">
          <Navigation openPalette={() => setPaletteOpen(true)} />
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <Header account={account.data} openMenu={() => setMenuOpen(true)} openHelp={() => setHelpOpen(true)} />
          <main id="main" className="mx-auto w-full max-w-7xl flex-1 px-4 py-7 sm:px-8" tabIndex={-1}>
            {account.isLoadingError ? (
              <Problem error={account.error} retry={() => void account.refetch()} />
            ) : (
              <>
                <NotRead />
                <Outlet />
              </>
            )}
          </main>
        </div>
      </div>
      {isMenuOpen && (
        <Dialog title={t('Menu')} onClose={() => setMenuOpen(false)} side="start">
          <Navigation
            isDrawer
            openPalette={() => {
              setMenuOpen(false);
              setPaletteOpen(true);
            }}
          />
        </Dialog>
      )}
      {isHelpOpen && (
        <Suspense fallback={null}>
          <Shortcuts onClose={() => setHelpOpen(false)} />
        </Suspense>
      )}
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
    </div>
  );
}

/** What is shown stays while it cannot be read again: forms are open in it. Nor does it wait for what stands beside it. */
function NotRead() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const findFailed = () => cache.findAll({ type: 'active' }).find(isUntold);
  const failed = useSyncExternalStore(
    useCallback((changed) => cache.subscribe(changed), [cache]),
    findFailed,
  );
  if (!failed) return null;
  return (
    <div className="mb-5">
      <Problem
        error={failed.state.error}
        retry={() => void client.refetchQueries({ type: 'active', predicate: isUntold })}
      />
    </div>
  );
}

/** An error that its view does not show. */
function isUntold({ state, meta }: Query): boolean {
  return state.status === 'error' && (state.data !== undefined || meta?.isAside === true) && !isNotFound(state.error);
}

/** A login that ended in another tab has ended here too. */
function useOtherTabs(): void {
  const client = useQueryClient();
  useEffect(() => {
    const channel = new BroadcastChannel('session');
    channel.onmessage = () => void client.resetQueries();
    return () => channel.close();
  }, [client]);
}

/** Keys that work outside of text fields: search, help, and `g` with a letter for each place. */
function useShortcuts(actions: { search: () => void; help: () => void }): void {
  const navigate = useNavigate();
  const lastG = useRef(0);
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const hasModifier = event.metaKey || event.ctrlKey || event.altKey;
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        current.current.search();
        return;
      }
      if (hasModifier || isTyping(event.target)) return;
      const place = PLACES.find(({ key }) => key === event.key);
      if (event.key === '/') {
        event.preventDefault();
        current.current.search();
      } else if (event.key === '?') {
        current.current.help();
      } else if (event.key === 'g') {
        lastG.current = event.timeStamp;
      } else if (place && event.timeStamp - lastG.current < SEQUENCE_MS) {
        lastG.current = 0;
        void navigate({ to: place.to });
      }
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [navigate]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable]') !== null;
}
