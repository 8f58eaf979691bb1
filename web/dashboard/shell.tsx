import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { currentMode, type Mode, ApiError, rememberMode } from './lib/api.ts';
import { plain } from './lib/format.ts';
import { commandKey } from './lib/platform.ts';
import { useShortcuts } from './lib/shortcuts.ts';
import { useSignOut } from './lib/sign-out.ts';
import type { AccountJson } from './lib/types.ts';
import { useT } from './lib/i18n.tsx';
import { useLiveUpdates } from './lib/live.ts';
import { ModeContext, useAccount, useMode } from './lib/state.tsx';
import { PLACES } from './places.ts';
import { Problem } from './ui/basic.tsx';
import { Dialog } from './ui/dialog.tsx';
import { Icon } from './ui/icon.tsx';
import { Popup } from './ui/popup.tsx';

const Palette = lazy(() => import('./palette.tsx'));
const Shortcuts = lazy(() => import('./shortcuts.tsx'));

/** The frame of every view: the navigation, the account, and the mode. */
export function Shell() {
  const [mode, setModeState] = useState<Mode>(currentMode);
  const setMode = useCallback((next: Mode) => {
    rememberMode(next);
    setModeState(next);
  }, []);
  const state = useMemo(() => ({ mode, setMode }), [mode, setMode]);
  return (
    <ModeContext value={state}>
      <SignedIn />
    </ModeContext>
  );
}

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

  if (account.error) {
    // A signed-out visitor is being redirected to the sign-in page.
    if (account.error instanceof ApiError && account.error.status === 401) return null;
    return (
      <main className="mx-auto max-w-lg p-8">
        <Problem error={account.error} retry={() => void account.refetch()} />
      </main>
    );
  }
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:z-20 focus:m-2 focus:rounded-lg focus:bg-accent focus:px-4 focus:py-2 focus:text-on-accent"
      >
        {t('Skip to content')}
      </a>
      {mode === 'test' && <div className="h-1 bg-test" aria-hidden="true" />}
      <div className="flex flex-1">
        <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-e border-line bg-surface lg:flex">
          <Navigation openPalette={() => setPaletteOpen(true)} />
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <Header account={account.data} openMenu={() => setMenuOpen(true)} openHelp={() => setHelpOpen(true)} />
          <main id="main" className="mx-auto w-full max-w-6xl flex-1 px-4 py-7 sm:px-8" tabIndex={-1}>
            <Outlet />
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
      {isPaletteOpen && (
        <Suspense fallback={null}>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** The account and the mode, above every view. */
function Header({
  account,
  openMenu,
  openHelp,
}: {
  account: AccountJson | undefined;
  openMenu: () => void;
  openHelp: () => void;
}) {
  const t = useT();
  return (
    <header className="sticky top-0 z-10 flex items-center justify-between gap-3 border-b border-line bg-surface/95 px-4 py-2.5 backdrop-blur sm:px-8">
      <div className="flex min-w-0 items-center gap-2">
        <button
          type="button"
          className="grid size-9 place-items-center rounded-lg hover:bg-raised lg:hidden"
          aria-label={t('Menu')}
          onClick={openMenu}
        >
          <Icon name="menu" />
        </button>
        <p className="truncate text-sm font-medium">{plain(account?.name ?? account?.email ?? '')}</p>
      </div>
      <div className="flex shrink-0 items-center gap-2">
        <ModeSwitch />
        <AccountMenu account={account} openHelp={openHelp} />
      </div>
    </header>
  );
}

/** The account's menu, with sign-out. */
function AccountMenu({ account, openHelp }: { account: AccountJson | undefined; openHelp: () => void }) {
  const t = useT();
  const signOut = useSignOut();
  const name = plain(account?.name ?? account?.email ?? '');
  const item = 'flex w-full items-center gap-3 rounded-lg px-3 py-2 text-start text-sm hover:bg-raised';
  return (
    <Popup
      end
      closes
      name={t('Account')}
      label={
        <span aria-hidden="true" className="grid size-6 place-items-center text-sm font-semibold uppercase">
          {[...name][0] ?? '·'}
        </span>
      }
    >
      <div className="grid w-60 gap-0.5">
        <p className="px-3 pb-2 text-sm [overflow-wrap:anywhere]">
          <span className="block font-medium">{name}</span>
          {account?.email && account.email !== name && <span className="text-quiet">{account.email}</span>}
        </p>
        <Link to="/settings" className={item}>
          <Icon name="settings" />
          {t('Settings')}
        </Link>
        <button type="button" className={`${item} pointer-coarse:hidden`} onClick={openHelp}>
          <Icon name="keyboard" />
          {t('Keyboard shortcuts')}
        </button>
        <button type="button" className={item} onClick={() => signOut(false)}>
          <Icon name="leave" />
          {t('Sign out')}
        </button>
      </div>
    </Popup>
  );
}

function Navigation({ openPalette, isDrawer = false }: { openPalette: () => void; isDrawer?: boolean }) {
  const t = useT();
  return (
    <div className={`flex flex-1 flex-col gap-4 ${isDrawer ? '' : 'p-4'}`}>
      {!isDrawer && <Logo />}
      <button
        type="button"
        onClick={openPalette}
        className="flex items-center gap-2 rounded-lg border border-line px-3 py-1.5 text-sm text-quiet hover:bg-raised"
      >
        <Icon name="search" size={16} />
        <span className="flex-1 text-start">{t('Search')}</span>
        <kbd dir="ltr" className="rounded border border-line px-1.5 font-sans text-xs pointer-coarse:hidden">
          {commandKey('K')}
        </kbd>
      </button>
      <nav aria-label={t('Main')} className="grid gap-0.5">
        {PLACES.map(({ to, name, icon }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            className="flex items-center gap-3 rounded-lg px-3 py-1.5 text-sm text-quiet hover:bg-raised hover:text-ink aria-[current=page]:bg-tint aria-[current=page]:font-medium aria-[current=page]:text-accent"
          >
            <Icon name={icon} />
            {t(name)}
          </Link>
        ))}
      </nav>
      <a
        href="/docs"
        className="mt-auto flex items-center gap-3 rounded-lg px-3 py-1.5 text-sm text-quiet hover:bg-raised hover:text-ink"
      >
        <Icon name="book" />
        {t('Documentation')}
      </a>
    </div>
  );
}

function Logo() {
  return (
    <Link to="/" className="flex items-center gap-2.5 px-2 pt-1 text-base font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M10 16.500l4 4 8-9"
          fill="none"
          className="stroke-on-accent"
          strokeWidth="3.200"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      Quittance
    </Link>
  );
}

/** Always visible, because the same page shows test money in one position and real money in the other. */
function ModeSwitch() {
  const t = useT();
  const { mode, setMode } = useMode();
  const isTest = mode === 'test';
  return (
    <fieldset className="flex shrink-0 items-center gap-3">
      <legend className="sr-only">{t('Mode')}</legend>
      {isTest && (
        <span className="hidden text-sm font-medium text-test sm:inline">{t('Test mode: no real money')}</span>
      )}
      <div className="inline-flex rounded-lg bg-raised p-0.5 text-sm font-medium">
        {(['test', 'live'] as const).map((one) => (
          <label
            key={one}
            className={`cursor-pointer rounded-md px-3 py-1 has-focus-visible:outline-2 has-focus-visible:outline-accent ${mode !== one ? 'text-quiet hover:text-ink' : one === 'test' ? 'bg-test text-on-test' : 'bg-surface text-ink shadow-xs'}`}
          >
            <input type="radio" name="mode" className="sr-only" checked={mode === one} onChange={() => setMode(one)} />
            {one === 'test' ? t('Test') : t('Live')}
          </label>
        ))}
      </div>
    </fieldset>
  );
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
