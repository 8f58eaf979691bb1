import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { money, plain } from './lib/format.ts';
import { useLanguage } from './lib/i18n.tsx';
import { saleOf } from './lib/sale.ts';
import { useMode, useRead } from './lib/state.tsx';
import { chooseTheme, isDark } from './lib/theme.ts';
import type { SearchJson } from './lib/types.ts';
import { PLACES } from './places.ts';
import { Icon, type IconName } from './ui/icon.tsx';
import { StatusBadge } from './ui/status.tsx';

interface Choice {
  key: string;
  icon: IconName;
  text: string;
  aside?: React.ReactNode;
  go: () => void;
}

const WAIT_MS = 150;
const RESULT = 'flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 text-sm';
const BOX = 'rounded-2xl border border-line bg-surface p-0 text-ink shadow-2xl';
const ACTIONS = [
  { to: '/links', name: 'Create a payment link', icon: 'plus' },
  { to: '/wallets', name: 'Add a payout wallet', icon: 'plus' },
  { to: '/webhooks', name: 'Add a webhook endpoint', icon: 'plus' },
  { to: '/keys', name: 'Create a key', icon: 'plus' },
] as const;
/** The parts of the settings, and fields that people look for by name. */
const SETTINGS = [
  'What customers see',
  'Logo (https URL)',
  'Accent color',
  'Support email',
  'Support page',
  'Allowed embed origins',
  'Checkouts',
  'Expires after',
  'Payment rules',
  'Underpayment tolerance (%)',
  'Mails',
  'Send customers a receipt',
  'Invitations',
  'Test clock',
  'Display preferences',
  'Time zone',
  'Language',
  'Sign out everywhere',
] as const;
const PLACE_OF: Record<
  Exclude<SearchJson['others'][number]['kind'], 'customer'>,
  { to: '/links' | '/wallets' | '/webhooks' | '/keys' | '/transfers' | '/requests'; icon: IconName }
> = {
  payment_link: { to: '/links', icon: 'link' },
  payout_wallet: { to: '/wallets', icon: 'wallet' },
  webhook_endpoint: { to: '/webhooks', icon: 'webhook' },
  api_key: { to: '/keys', icon: 'key' },
  transfer: { to: '/transfers', icon: 'transfers' },
  request: { to: '/requests', icon: 'log' },
};

/** Everything by keyboard: places, actions, and search results of the account. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useLanguage();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const choices = useChoices(typed.trim(), onClose);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const chosen = choices[Math.min(at, choices.length - 1)];
  useEffect(() => {
    // Its result may be a promise, which an effect must not return.
    void document.getElementById(`palette-${chosen?.key}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.key]);

  const pressed = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((now) => (Math.min(now, choices.length - 1) + step + choices.length) % choices.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      chosen?.go();
    }
  };
  const type = (text: string) => {
    setTyped(text);
    setAt(0);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; this is its backdrop
    <dialog
      ref={dialog}
      aria-label={t('Search')}
      className={`${BOX} mt-[12vh] w-[min(38rem,calc(100vw-2rem))] max-w-none`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <SearchInput typed={typed} chosen={chosen} onType={type} onKeyDown={pressed} />
      <Results choices={choices} chosen={chosen} choose={setAt} />
    </dialog>
  );
}

function SearchInput({
  typed,
  chosen,
  onType,
  onKeyDown,
}: {
  typed: string;
  chosen: Choice | undefined;
  onType: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { t } = useLanguage();
  return (
    <div className="flex items-center gap-3 border-b border-line px-4">
      <Icon name="search" />
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={chosen ? `palette-${chosen.key}` : undefined}
        aria-label={t('Search')}
        autoComplete="off"
        spellCheck={false}
        className="w-full bg-transparent py-4 text-base outline-none"
        placeholder={t('Search orders, emails, IDs, addresses or pages…')}
        value={typed}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

function Results({
  choices,
  chosen,
  choose,
}: {
  choices: Choice[];
  chosen: Choice | undefined;
  choose: (at: number) => void;
}) {
  const { t } = useLanguage();
  return (
    <div id="palette" role="listbox" aria-label={t('Results')} className="max-h-[50vh] overflow-y-auto p-2">
      {choices.map((choice, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the field, as a combobox does
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, as a combobox does
        <div
          key={choice.key}
          id={`palette-${choice.key}`}
          role="option"
          aria-selected={choice === chosen}
          onClick={choice.go}
          onMouseMove={() => choose(at)}
          className={`${RESULT} ${choice === chosen ? 'bg-tint text-accent' : ''}`}
        >
          <Icon name={choice.icon} />
          <bdi className="min-w-0 flex-1 truncate">{choice.text}</bdi>
          {choice.aside}
        </div>
      ))}
      {choices.length === 0 && <p className="px-3 py-6 text-center text-sm text-quiet">{t('No results')}</p>}
    </div>
  );
}

/** What fits the typed text: results first, then places, actions and switches. Choosing one closes the palette. */
function useChoices(typed: string, onClose: () => void): Choice[] {
  const { t } = useLanguage();
  const navigate = useNavigate();
  const switches = useSwitches();
  const results = useResults(typed);
  const fits = ({ text }: Choice) => text.toLowerCase().includes(typed.toLowerCase());
  const choices: Choice[] = [
    ...results,
    ...PLACES.map(({ to, name, icon }) => ({ key: to, icon, text: t(name), go: () => void navigate({ to }) })).filter(
      fits,
    ),
    ...ACTIONS.map(({ to, name, icon }) => ({
      key: `new ${to}`,
      icon,
      text: t(name),
      go: () => void navigate({ to, search: { new: true } }),
    })).filter(fits),
    ...switches.filter(fits),
    // Only on request: the list of places has the settings already.
    ...(typed === '' ? [] : SETTINGS)
      .map((name) => ({
        key: `settings ${name}`,
        icon: 'settings' as const,
        text: t(name),
        aside: <span className="text-xs text-quiet">{t('Settings')}</span>,
        go: () => void navigate({ to: '/settings' }),
      }))
      .filter(fits),
  ];
  if (typed.length > 1)
    choices.push({
      key: 'all',
      icon: 'search',
      text: t('Search payments for “{text}”', { text: typed }),
      go: () => void navigate({ to: '/payments', search: { q: typed } }),
    });
  return choices.map((choice) => ({
    ...choice,
    go: () => {
      onClose();
      choice.go();
    },
  }));
}

/** What the service finds in the account. */
function useResults(typed: string): Choice[] {
  const { locale } = useLanguage();
  const navigate = useNavigate();
  const wanted = useDelayed(typed);
  const isSearch = wanted.length > 1;
  const found = useRead<SearchJson>(
    'search',
    '/dashboard/api/search',
    { q: wanted },
    { enabled: isSearch, keep: true },
  );
  if (!isSearch || !found.data) return [];
  // A customer or a link of that name stands before its payments, which may be many.
  return [
    ...found.data.others.map(
      ({ kind, id, label, identity = {} }): Choice => ({
        key: id,
        icon: kind === 'customer' ? 'customers' : PLACE_OF[kind].icon,
        text: plain(label),
        go: () =>
          void (kind === 'customer'
            ? navigate({ to: '/customers/one', search: identity })
            : navigate({ to: PLACE_OF[kind].to })),
      }),
    ),
    ...found.data.payments.slice(0, 8).map(
      (payment): Choice => ({
        key: payment.id,
        icon: 'payments',
        text: `${money(locale, payment.amount, payment.currency)} · ${saleOf(payment)}`,
        aside: <StatusBadge status={payment.status} />,
        go: () => void navigate({ to: '/payments/$id', params: { id: payment.id } }),
      }),
    ),
  ];
}

/** The other mode, and the other theme. */
function useSwitches(): Choice[] {
  const { t } = useLanguage();
  const { mode, setMode } = useMode();
  return [
    {
      key: 'mode',
      icon: 'circle',
      text: mode === 'test' ? t('Switch to live mode') : t('Switch to test mode'),
      go: () => setMode(mode === 'test' ? 'live' : 'test'),
    },
    {
      key: 'theme',
      icon: 'circle',
      text: isDark() ? t('Switch to light theme') : t('Switch to dark theme'),
      go: () => chooseTheme(isDark() ? 'light' : 'dark'),
    },
  ];
}

function useDelayed(text: string): string {
  const [delayed, setDelayed] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(text), WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return delayed;
}
