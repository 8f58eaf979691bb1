import { LANGUAGES } from '../ui/languages.ts';
import type { Translate } from './i18n/messages.ts';

interface FootProps {
  /** The address of the page. */
  page: string;
  locale: string;
  merchant: string;
  isPaid?: boolean;
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

function ServedFoot({ page, locale, merchant, isPaid, t }: FootProps) {
  const { host, pathname } = new URL(page);
  return (
    <footer class="foot">
      <p>{t(isPaid ? 'you_paid_on' : 'you_are_on', { host, merchant })}</p>
      <p>{t('powered')}</p>
      <Languages path={pathname} locale={locale} t={t} />
    </footer>
  );
}

export function Languages({ path, locale, t }: { path: string; locale: string; t: Translate }) {
  return (
    <details class="languages">
      <summary>
        <span class="visually-hidden">{t('language')}: </span>
        <span lang={locale}>{LANGUAGES[locale as keyof typeof LANGUAGES]}</span>
      </summary>
      <ul>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <li key={code}>
            <a
              href={`${path}?lang=${code}`}
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
