import { renderToString } from 'preact-render-to-string';
import { Document } from './document.tsx';
import { catalogs } from './i18n/catalogs.ts';
import { translator } from './i18n/messages.ts';
import { LinkPageView } from './link-page.tsx';
import { NoticeView } from './notice.tsx';
import { Checkout } from './page.tsx';
import { type CheckoutPage, stageOf } from './page-state.ts';
import { Receipt } from './receipt.tsx';
import type { LinkPage, NoticePage, PageAssets } from './renderer.ts';
import { merchantName } from './summary.tsx';

export const locales = Object.keys(catalogs);

const catalogOf = (locale: string) => catalogs[locale] ?? {};
const html = (page: preact.JSX.Element) => `<!doctype html>${renderToString(page)}`;

export function renderCheckout(page: CheckoutPage, assets: PageAssets): string {
  const catalog = catalogOf(page.locale);
  const t = translator(page.locale, catalog);
  const isWaiting = ['choose', 'pay', 'top_up', 'confirming', 'converting', 'delivering'].includes(stageOf(page));
  return html(
    <Document title={t('title', { merchant: merchantName(page, t) })} locale={page.locale} assets={assets}
      state={{ page, catalog }} refreshSeconds={isWaiting && !page.choice ? 10 : undefined}>
      <Checkout page={page} catalog={catalog} />
    </Document>,
  );
}

export function renderReceipt(page: CheckoutPage, assets: PageAssets): string {
  const t = translator(page.locale, catalogOf(page.locale));
  return html(
    <Document title={t('receipt_title')} locale={page.locale} assets={assets}>
      <Receipt page={page} t={t} />
    </Document>,
  );
}

export function renderPaymentLink(page: LinkPage, assets: PageAssets): string {
  const t = translator(page.locale, catalogOf(page.locale));
  return html(
    <Document title={t('title', { merchant: page.merchant.name ?? t('merchant_fallback') })} locale={page.locale} assets={assets}>
      <LinkPageView page={page} t={t} />
    </Document>,
  );
}

export function renderNotice(page: NoticePage, assets: PageAssets): string {
  const t = translator(page.locale, catalogOf(page.locale));
  return html(
    <Document title={t(`${page.kind}_title`)} locale={page.locale} assets={assets}>
      <NoticeView page={page} t={t} />
    </Document>,
  );
}
