import { familyOf } from '../networks/networks.ts';
import type { PageProps } from './page-state.ts';
import { isByReference, walletsFor } from './wallet-choice.tsx';
import deepLinks from './wallets/deep-links.json' with { type: 'json' };

/** On a phone: the payment as a link that wallet apps open, and the wallets whose own browser can open this page. */
export function PhoneWallets({ page, t }: PageProps) {
  const { payment } = page.session;
  if (!payment || !page.session.livemode) return null;
  const isInWallet = walletsFor(page).length > 0;
  const wallets = deepLinks.filter((wallet) => !isInWallet && wallet.families.includes(familyOf(payment.network)));
  // Few apps know how to send a memo.
  const uri = isByReference(payment) ? null : payment.uri;
  if (isInWallet || (!uri && wallets.length === 0)) return null;
  return (
    <div class="phone-wallets on-phone">
      {uri && (
        <a class="button primary wide" href={uri} data-uri>
          {t('open_wallet')}
        </a>
      )}
      {wallets.length > 0 && (
        <>
          <p class="quiet">{t('open_page_in')}</p>
          <ul>
            {wallets.map((wallet) => (
              <li key={wallet.link}>
                <a class="button" href={deepLink(wallet.link, page.links.page)} rel="noopener noreferrer">
                  {wallet.name}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** A link that opens a page in the wallet's own browser, from its template in `deep-links.json`. */
export function deepLink(template: string, page: string): string {
  const { origin } = new URL(page);
  const values: Record<string, string> = {
    page_encoded: encodeURIComponent(page),
    page_without_scheme: page.replace(/^https?:\/\//, ''),
    origin_encoded: encodeURIComponent(origin),
  };
  return template.replace(/\{(\w+)\}/g, (_place, name: string) => values[name] ?? '');
}
