import type { ReactNode } from 'react';
import { useT } from '../lib/i18n.tsx';
import type { List } from '../lib/state.tsx';
import { Button, Problem, Skeleton } from './basic.tsx';

/** A list in a card: while it loads, after an error, without items, and its rows with a button for the next page. */
export function Listing({
  list,
  rows,
  empty,
  children,
}: {
  list: List;
  /** The lines of the placeholder. */
  rows?: number;
  empty: ReactNode;
  children: ReactNode;
}) {
  if (list.isPending) return <Skeleton {...(rows && { rows })} />;
  if (list.error)
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
