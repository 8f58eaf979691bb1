import { useState } from 'react';
import { plain } from '../../lib/format.ts';
import { useT } from '../../lib/i18n.tsx';
import { useStored } from '../../lib/stored.ts';
import { Button, TextField, pressableClass } from '../../ui/basic.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type PaymentsSearch, readPaymentsSearch } from '../payments-search.ts';

interface SavedView {
  name: string;
  search: PaymentsSearch;
}

const MAX_VIEWS = 20;

/** Named filters in this browser's storage. */
export function SavedViews({ search, go }: { search: PaymentsSearch; go: (search: PaymentsSearch) => void }) {
  const t = useT();
  const [views, setViews] = useStored<readonly SavedView[]>('payment-views', [], areViews);
  const [isNaming, setNaming] = useState(false);
  const present = keyOf(search);
  const isPlain = present === keyOf({});
  const isKnown = views.some((view) => keyOf(view.search) === present);
  return (
    <>
      {views.map((view) => (
        <span key={view.name} className="inline-flex items-center">
          <button
            type="button"
            aria-pressed={keyOf(view.search) === present}
            onClick={() => go(view.search)}
            className={`${pressableClass} py-1.5 text-quiet`}
          >
            <bdi>{plain(view.name)}</bdi>
          </button>
          {keyOf(view.search) === present && (
            <button
              type="button"
              className="grid size-6 place-items-center rounded text-quiet hover:bg-raised hover:text-ink"
              aria-label={t('Delete view {name}', { name: plain(view.name) })}
              onClick={() => setViews(views.filter((one) => one !== view))}
            >
              <Icon name="close" size={14} />
            </button>
          )}
        </span>
      ))}
      {!isPlain && !isKnown && views.length < MAX_VIEWS && (
        <Button kind="quiet" onClick={() => setNaming(true)}>
          <Icon name="plus" size={14} />
          {t('Save this view')}
        </Button>
      )}
      {isNaming && (
        <NameDialog
          onClose={() => setNaming(false)}
          save={(name) => setViews([...views.filter((view) => view.name !== name), { name, search }])}
        />
      )}
    </>
  );
}

function NameDialog({ onClose, save }: { onClose: () => void; save: (name: string) => void }) {
  const t = useT();
  const [name, setName] = useState('');
  return (
    <FormDialog
      title={t('Save this view')}
      action={t('Save')}
      disabled={name.trim() === ''}
      onSubmit={() => {
        save(name.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        required
        maxLength={40}
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint={t('Saved in this browser with all its filters.')}
        autoFocus
      />
    </FormDialog>
  );
}

function keyOf({ status, route, balance, after, before, link, q }: PaymentsSearch): string {
  return JSON.stringify([status, route, balance, after, before, link, q]);
}

/** Stored views may come from another version; their filters are read like those of an address. */
function areViews(value: unknown): value is readonly SavedView[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_VIEWS &&
    value.every(
      (view) =>
        typeof view?.name === 'string' &&
        typeof view.search === 'object' &&
        view.search !== null &&
        keyOf(readPaymentsSearch(view.search)) === keyOf(view.search),
    )
  );
}
