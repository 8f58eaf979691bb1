import { useT } from '../../lib/i18n.tsx';
import { useMode } from '../../lib/state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popup } from '../../ui/popup.tsx';
import { BOOK_PERIODS, datesOf, dayAfter } from './periods.ts';

/** The file for an accountant, by the periods that books are closed by. */
export function Bookkeeping() {
  const t = useT();
  const { mode } = useMode();
  const now = new Date();
  const files = [
    ...BOOK_PERIODS.map(({ key, name }) => ({ name, ...datesOf(key, now) })),
    { name: 'Any time', after: undefined, before: undefined } as const,
  ];
  return (
    <Popup label={t('Bookkeeping')} isText>
      <div className="grid gap-3 sm:max-w-72">
        <p className="text-sm text-quiet">
          {t(
            'What reached your wallets, and refunds and payouts that left them: a line each, with its value, for your accountant.',
          )}
        </p>
        <ul className="grid gap-1">
          {files.map(({ name, after, before }) => {
            const query = new URLSearchParams({ mode, bom: 'true', ...(after && { after, before: dayAfter(before) }) });
            return (
              <li key={name}>
                <a
                  href={`/dashboard/api/movements.csv?${query}`}
                  download
                  className="flex items-center gap-2 rounded-lg px-2 py-1.5 text-sm hover:bg-raised"
                >
                  <Icon name="download" size={16} />
                  {t(name)}
                </a>
              </li>
            );
          })}
        </ul>
      </div>
    </Popup>
  );
}
