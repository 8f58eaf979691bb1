import type { Translate } from './i18n/messages.ts';
import type { Merchant } from './page-state.ts';
import { webLink } from './plain-text.ts';
import { nameOf } from './summary.tsx';

/** The merchant's contact page, otherwise a mail with a prepared subject. */
export function Contact({
  merchant,
  about,
  page,
  hasMoney = false,
  t,
}: {
  merchant: Merchant;
  about: string;
  page: string;
  hasMoney?: boolean;
  t: Translate;
}) {
  const href =
    webLink(merchant.support_url) ?? (merchant.support_email ? mailTo(merchant.support_email, about, page) : null);
  return (
    <div class="contact">
      {hasMoney && <p>{t('keep_page')}</p>}
      {href ? (
        <a href={href} rel="noopener noreferrer">
          {t('contact', { merchant: nameOf(merchant, t) })}
        </a>
      ) : (
        <p class="quiet">{t('contact_none')}</p>
      )}
    </div>
  );
}

function mailTo(address: string, subject: string, body: string): string {
  const to = encodeURIComponent(address).replace('%40', '@');
  const about = encodeURIComponent(subject.replace(/[\u2068\u2069]/g, ''));
  return `mailto:${to}?subject=${about}&body=${encodeURIComponent(body)}`;
}
