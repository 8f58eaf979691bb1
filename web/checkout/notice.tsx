import type { Translate } from './i18n/messages.ts';
import type { NoticePage } from './renderer.ts';

/** What is said where there is nothing to pay. */
export function NoticeView({ page, t }: { page: NoticePage; t: Translate }) {
  return (
    <div class="checkout">
      <main class="card notice">
        <h1>{t(`${page.kind}_title`)}</h1>
        <p>{t(`${page.kind}_text`)}</p>
      </main>
    </div>
  );
}
