import { renderToString } from 'preact-render-to-string';
import { brandStyle } from './brand-style.ts';
import { Document } from './document.tsx';
import { catalogs } from './i18n/catalogs.ts';
import { translator } from './i18n/messages.ts';
import { LinkPageView } from './link-page.tsx';
import { displayMoney } from './money.ts';
import { NoticeView } from './notice.tsx';
import { Checkout } from './page.tsx';
import { type CheckoutPage, stageOf } from './page-state.ts';
import { Receipt } from './receipt.tsx';
import { webLink } from './plain-text.ts';
import { RefundPageView } from './refund-page.tsx';
import type { Brand, LinkPage, NoticePage, PageAssets, ReceiptOptions, RefundPage } from './renderer.ts';
import { AfterStage } from './stages/after.tsx';
import { merchantName, nameOf } from './summary.tsx';

export const locales = Object.keys(catalogs);

const catalogOf = (locale: string) => catalogs[locale as keyof typeof catalogs] ?? catalogs.en;
const html = (page: preact.JSX.Element) => `<!doctype html>${renderToString(page)}`;

// A reload during a choice or input would undo it.
const WAITING = new Set(['pay', 'top_up', 'closing', 'confirming', 'converting', 'delivering']);

function isWaiting(page: CheckoutPage): boolean {
  const isStuck = stageOf(page) === 'choose' && !page.session.options.some((option) => option.available);
  return isStuck || WAITING.has(stageOf(page));
}

export function renderCheckout(given: CheckoutPage, assets: PageAssets): string {
  // These were validated when they were stored; a URL that could run a script is still not linked.
  const page = {
    ...given,
    links: { ...given.links, success: webLink(given.links.success), cancel: webLink(given.links.cancel) },
  };
  const catalog = catalogOf(page.locale);
  const t = translator(page.locale, catalog);
  return html(
    <Document
      title={t('title', { merchant: merchantName(page, t) })}
      locale={page.locale}
      assets={assets}
      script={assets.script}
      state={{ page, catalog }}
      refresh={isWaiting(page) ? `/checkout/${page.session.id}` : undefined}
    >
      <Checkout page={page} catalog={catalog} After={AfterStage} />
    </Document>,
  );
}

export function renderReceipt(page: CheckoutPage, receipt: ReceiptOptions, assets: PageAssets): string {
  const t = translator(page.locale, catalogOf(page.locale));
  return html(
    <Document
      title={`${t('receipt_title')} · ${merchantName(page, t)}`}
      locale={page.locale}
      assets={assets}
      script={assets.servedScript}
    >
      <Receipt page={page} receipt={receipt} t={t} />
    </Document>,
  );
}

export function renderPaymentLink(page: LinkPage, assets: PageAssets): string {
  const t = translator(page.locale, catalogOf(page.locale));
  return html(
    <Document
      title={t('title', { merchant: nameOf(page.merchant, t) })}
      locale={page.locale}
      assets={assets}
      {...((page.refused || page.openAmount || page.askFor.length > 0) && { script: assets.servedScript })}
    >
      <LinkPageView page={page} t={t} />
    </Document>,
  );
}

export function renderRefund(page: RefundPage, assets: PageAssets): string {
  const catalog = catalogOf(page.locale);
  const t = translator(page.locale, catalog);
  const amount = displayMoney(page.amount, page.currency, page.locale);
  return html(
    <Document
      title={t('refund_ask_title', { amount })}
      locale={page.locale}
      assets={assets}
      {...(page.sign ? { script: assets.refundScript, state: { page, catalog } } : { script: assets.servedScript })}
    >
      <RefundPageView page={page} t={t} />
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

export function renderBrandStyle(brand: Brand): string {
  return brandStyle(brand);
}
