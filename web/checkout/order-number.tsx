import type { Translate } from './i18n/messages.ts';
import { plainText } from './plain-text.ts';

/** The merchant's own number of the order, as a row of a list of facts. */
export function OrderNumber({ id, t }: { id: string | null | undefined; t: Translate }) {
  if (!id) return null;
  return (
    <div>
      <dt>{t('order_number')}</dt>
      <dd>
        <bdi>{plainText(id)}</bdi>
      </dd>
    </div>
  );
}
