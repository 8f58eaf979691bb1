import type { Translate } from './i18n/messages.ts';
import type { CheckoutPage, Merchant } from './page-state.ts';
import { webLink } from './plain-text.ts';
import { nameOf } from './summary.tsx';

interface ContactProps {
  merchant: Merchant;
  about: string;
  page: string;
  t: Translate;
}

export function Contact({ t, ...given }: ContactProps) {
  const href = contactLink(given);
  return (
    <div class="contact">
      {href ? (
        <a href={href} rel="noopener noreferrer">
          {t('contact', { merchant: nameOf(given.merchant, t) })}
        </a>
      ) : (
        <p class="quiet">{t('contact_none')}</p>
      )}
    </div>
  );
}

/** The contact of a checkout's merchant. */
export function contactOf({ session: { id, merchant }, links }: CheckoutPage, t: Translate): Omit<ContactProps, 't'> {
  return { merchant, about: t('contact_subject', { session: id }), page: links.page };
}

/** The merchant's contact page, otherwise a mail with a prepared subject. */
export function contactLink({ merchant, about, page }: Omit<ContactProps, 't'>): string | null {
  return webLink(merchant.support_url) ?? (merchant.support_email ? mailTo(merchant.support_email, about, page) : null);
}

function mailTo(address: string, subject: string, body: string): string {
  const to = encodeURIComponent(address).replace('%40', '@');
  const about = encodeURIComponent(subject.replace(/[\u2068\u2069]/g, ''));
  return `mailto:${to}?subject=${about}&body=${encodeURIComponent(body)}`;
}
