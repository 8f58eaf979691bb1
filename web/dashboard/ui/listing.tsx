import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../lib/i18n.tsx';
import type { List } from '../lib/state.tsx';
import { Button, Card, pressableClass, Problem, Skeleton } from './basic.tsx';

interface ListingProps {
  list: List;
  /** The lines of the placeholder. */
  rows?: number;
  empty: ReactNode;
  children: ReactNode;
}

/** A list in a card: while it loads, after an error, without items, and its rows with a button for the next page. */
export function Listing({ list, rows, empty, children }: ListingProps) {
  if (list.isPending) return <Skeleton {...(rows && { rows })} />;
  if (list.isLoadingError)
    return (
      <div className="p-5">
        <Problem error={list.error} retry={() => void list.refetch()} />
      </div>
    );
  if (list.items.length === 0) return empty;
  return (
    <>
      {children}
      {list.hasNextPage && (
        <div className="border-t border-line p-3">
          <LoadMore list={list} />
        </div>
      )}
    </>
  );
}

/** The button for the next page, if there is one. */
export function LoadMore({ list }: { list: List }) {
  const t = useT();
  if (!list.hasNextPage) return null;
  return (
    <div className="flex justify-center">
      <Button kind="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {t('Load more')}
      </Button>
    </div>
  );
}

/** The same as the whole of a card. */
export function ListCard(props: ListingProps) {
  return (
    <Card flush>
      <Listing {...props} />
    </Card>
  );
}

/** Switches a list, called `label`, between what is open and all there is. */
export function OpenOrAll({
  to,
  label,
  open,
  all = false,
}: {
  to: '/payouts' | '/refunds' | '/transfers';
  label: string;
  open: string;
  all: boolean | undefined;
}) {
  const t = useT();
  const navigate = useNavigate();
  return (
    <fieldset className="mb-4 flex gap-1 text-sm">
      <legend className="sr-only">{label}</legend>
      {[false, true].map((one) => (
        <button
          key={String(one)}
          type="button"
          aria-pressed={one === all}
          className={`${pressableClass} min-h-9`}
          onClick={() => void navigate({ to, search: { all: one || undefined } })}
        >
          {one ? t('All') : open}
        </button>
      ))}
    </fieldset>
  );
}
