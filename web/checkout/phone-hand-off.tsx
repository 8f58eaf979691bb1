import type { PageProps } from './page-state.ts';
import { QrCode } from './qr-code.tsx';

/** Continues on a phone with the wallet: both pages follow the same session. */
export function PhoneHandOff({ page, t }: PageProps) {
  return (
    <aside class="hand-off on-desktop" aria-label={t('phone_title')}>
      <details>
        <summary>{t('phone_title')}</summary>
        <p class="quiet">{t('phone_text')}</p>
        <QrCode text={page.links.page} label={t('phone_alt')} />
      </details>
    </aside>
  );
}
