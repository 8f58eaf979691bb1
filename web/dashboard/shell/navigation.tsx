import { Link } from '@tanstack/react-router';
import { useT } from '../lib/i18n.tsx';
import { useAttention } from '../lib/state.tsx';
import { PLACES } from '../places.ts';
import { Icon, Mark } from '../ui/icon.tsx';

const PLACE = 'flex items-center gap-3 rounded-lg px-3 py-1.5 text-sm text-quiet hover:bg-raised hover:text-ink';
const COUNT = 'ms-auto rounded-md bg-warn-tint px-1.5 text-xs leading-5 font-medium tabular-nums text-warn';
const CURRENT = 'aria-[current=page]:bg-tint aria-[current=page]:font-medium aria-[current=page]:text-accent';

/** The search and the places. As a drawer it has no logo, because the dialog has a title. */
export function Navigation({ openPalette, isDrawer = false }: { openPalette: () => void; isDrawer?: boolean }) {
  const t = useT();
  const counts = useAttention().data?.counts;
  const waiting: Record<string, number | undefined> = {
    '/payments': counts?.payments,
    '/transfers': counts?.transfers,
    '/refunds': counts?.refunds,
    '/webhooks': counts?.webhooks,
  };
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
            className={`${PLACE} ${CURRENT}`}
            {...(waiting[to] && { title: t('Needs attention: {number}', { number: shownCount(waiting[to]) }) })}
          >
            <Icon name={icon} />
            {t(name)}
            {waiting[to] ? (
              <span aria-hidden="true" className={COUNT}>
                {shownCount(waiting[to])}
              </span>
            ) : null}
          </Link>
        ))}
      </nav>
      <a href="/docs" className={`${PLACE} mt-auto`}>
        <Icon name="book" />
        {t('Documentation')}
      </a>
    </div>
  );
}

/** The service counts up to ten. */
function shownCount(count: number): string {
  return count >= 10 ? '9+' : String(count);
}

function Logo() {
  return (
    <Link to="/" className="flex items-center gap-2.5 px-2 pt-1 text-base font-semibold tracking-tight">
      <Mark size={26} />
      Quittance
    </Link>
  );
}

/** Apple's keyboards have ⌘ where others have Ctrl. */
const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** `⌘K` or `Ctrl K`, as on the keys. */
export function commandKey(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}
