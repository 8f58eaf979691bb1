import { LANGUAGES } from '../ui/languages.ts';
import type { Translate } from './i18n/messages.ts';
import type { CheckoutPage } from './page-state.ts';

interface FootProps {
  /** The address of the page. */
  page: string;
  locale: string;
  merchant: string;
  isPaid?: boolean;
  /** The step that the page shows. */
  step?: Pick<CheckoutPage, 'choice' | 'exchange' | 'view'>;
  t: Translate;
}

/** What a hydrated element keeps inside: all that the server wrote. */
const AS_SERVED = { __html: '' };

/** The page's host, the merchant, and the language. No script changes it, so none loads its code. */
export function Foot(props: FootProps) {
  if (import.meta.env.SSR) return <ServedFoot {...props} />;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is empty, and sets nothing where the server wrote something
  return <footer class="foot" dangerouslySetInnerHTML={AS_SERVED} />;
}

function ServedFoot({ page, locale, merchant, isPaid, step, t }: FootProps) {
  const { host, pathname } = new URL(page);
  return (
    <footer class="foot">
      <p>{t(isPaid ? 'you_paid_on' : 'you_are_on', { host, merchant })}</p>
      <p>{t('powered')}</p>
      <Languages path={pathname} query={queryOf(step)} locale={locale} t={t} />
    </footer>
  );
}

/** What shows the same step in another language. */
function queryOf({ choice, exchange, view }: NonNullable<FootProps['step']> = { choice: null, view: 'auto' }): string {
  const chosen = choice ? `asset=${choice.asset}&network=${choice.network}&` : '';
  const shown = exchange ? 'exchange' : view;
  return shown === 'auto' ? chosen : `${chosen}view=${shown}&`;
}

interface LanguagesProps {
  path: string;
  query?: string;
  locale: string;
  t: Translate;
}

export function Languages({ path, query = '', locale, t }: LanguagesProps) {
  return (
    <details class="languages">
      <summary>
        <span class="visually-hidden">{t('language')}: </span>
        <span lang={locale}>{LANGUAGES[locale as keyof typeof LANGUAGES]}</span>
      </summary>
      <ul data-do="language">
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <li key={code}>
            <a
              href={`${path}?${query}lang=${code}`}
              lang={code}
              hreflang={code}
              aria-current={code === locale ? 'true' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
