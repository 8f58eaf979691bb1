import { Contact } from './contact.tsx';
import { Languages } from './foot.tsx';
import type { Translate } from './i18n/messages.ts';
import type { NoticePage } from './renderer.ts';

/** A message if there is nothing to pay. */
export function NoticeView({ page, t }: { page: NoticePage; t: Translate }) {
  const mayHelp = page.kind === 'unavailable' || page.kind === 'busy';
  return (
    <div class="checkout" data-stage="notice">
      <main class="card notice">
        <h1>{t(`${page.kind}_title`)}</h1>
        <p>{t(`${page.kind}_text`)}</p>
        {mayHelp && (
          <p>
            <a class="button" href={page.path}>
              {t('try_again')}
            </a>
          </p>
        )}
        {page.merchant && (
          <Contact merchant={page.merchant} about={t('link_disabled_title')} page={page.address ?? ''} t={t} />
        )}
        {page.requestId && (
          <p class="quiet">
            <bdi dir="ltr">
              <code>{page.requestId}</code>
            </bdi>
          </p>
        )}
      </main>
      <footer class="foot">
        <Languages path={page.path} locale={page.locale} t={t} />
      </footer>
    </div>
  );
}
