import { Link } from '@tanstack/react-router';
import { duration, plain } from '../lib/format.ts';
import { useLanguage, useT } from '../lib/i18n.tsx';
import { useSignOut } from '../lib/sign-out.ts';
import { useMode } from '../lib/state.tsx';
import type { AccountJson } from '../lib/types.ts';
import { Problem } from '../ui/basic.tsx';
import { Icon } from '../ui/icon.tsx';
import { Popup } from '../ui/popup.tsx';

const BAR = 'sticky top-0 z-10 border-b border-line bg-surface/95 backdrop-blur';

/** The account and the mode, above every view. */
export function Header({
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
    <header className={`${BAR} flex items-center justify-between gap-3 px-4 py-2.5 sm:px-8`}>
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
        <ModeSwitch clock={account?.test_clock} />
        <AccountMenu account={account} openHelp={openHelp} />
      </div>
    </header>
  );
}

/** The account's menu, with sign-out. */
function AccountMenu({ account, openHelp }: { account: AccountJson | undefined; openHelp: () => void }) {
  const t = useT();
  const { signOut, error } = useSignOut();
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
        <button
          type="button"
          className={item}
          onClick={(event) => {
            // The menu stays open for what may be refused.
            event.stopPropagation();
            signOut(false);
          }}
        >
          <Icon name="leave" />
          {t('Sign out')}
        </button>
        <Problem error={error} />
      </div>
    </Popup>
  );
}

const MODE = 'cursor-pointer rounded-md px-3 py-1 has-focus-visible:outline-2 has-focus-visible:outline-accent';
const CHOSEN = { test: 'bg-test text-on-test', live: 'bg-surface text-ink shadow-xs' };

/** Always visible, because the same page shows test money in one position and real money in the other. */
function ModeSwitch({ clock }: { clock: AccountJson['test_clock'] | undefined }) {
  const { t, locale } = useLanguage();
  const { mode, setMode } = useMode();
  const isTest = mode === 'test';
  return (
    <fieldset className="flex shrink-0 items-center gap-3">
      <legend className="sr-only">{t('Mode')}</legend>
      {isTest && (
        <span className="hidden text-sm font-medium text-test sm:inline">{t('Test mode: no real money')}</span>
      )}
      {isTest && clock && clock.offset_seconds > 0 && (
        <Link to="/settings" className="hidden text-sm text-test underline md:inline">
          {t('Clock {time} ahead', { time: duration(locale, clock.offset_seconds) })}
        </Link>
      )}
      <div className="inline-flex rounded-lg bg-raised p-0.5 text-sm font-medium">
        {(['test', 'live'] as const).map((one) => (
          <label key={one} className={`${MODE} ${mode === one ? CHOSEN[one] : 'text-quiet hover:text-ink'}`}>
            <input type="radio" name="mode" className="sr-only" checked={mode === one} onChange={() => setMode(one)} />
            {one === 'test' ? t('Test') : t('Live')}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
