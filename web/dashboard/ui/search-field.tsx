import { type FormEvent, useEffect, useState } from 'react';
import { plain } from '../lib/format.ts';
import { useT } from '../lib/i18n.tsx';
import { Button, Empty } from './basic.tsx';
import { Icon } from './icon.tsx';

const WAIT_MS = 250;
const MIN_TYPED = 2;

/** The search of a list, for what is in the address. `search` takes undefined for an emptied field. */
export function SearchField({
  q,
  label,
  placeholder,
  search,
  className,
}: {
  q: string | undefined;
  label: string;
  placeholder: string;
  search: (wanted: string | undefined) => void;
  className: string;
}) {
  const { typed, setTyped, start } = useTypedSearch(q, search);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start();
  };
  return (
    <search className={className}>
      <form onSubmit={submit} className="relative">
        <span className="pointer-events-none absolute inset-y-0 start-3 grid place-items-center text-quiet">
          <Icon name="search" size={16} />
        </span>
        <input
          type="search"
          aria-label={label}
          placeholder={placeholder}
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="min-h-9 w-full rounded-lg border border-line bg-surface px-2.5 py-1.5 ps-9 text-sm"
        />
      </form>
    </search>
  );
}

/** A search without results, and in `children` what it searches. */
export function NoResults({ q, clear, children }: { q: string; clear: () => void; children: string }) {
  const t = useT();
  return (
    <Empty
      title={t('No results for “{text}”', { text: plain(q) })}
      action={<Button onClick={clear}>{t('Clear search')}</Button>}
    >
      {children}
    </Empty>
  );
}

/**
 * The typed text, and its search after a pause or at once with `start`. A change of `q`, which the address decides, changes
 * the field too.
 */
function useTypedSearch(q: string | undefined, search: (wanted: string | undefined) => void) {
  const [typed, setTyped] = useState(q ?? '');
  const [shown, setShown] = useState(q);
  if (q !== shown) {
    setShown(q);
    if ((q ?? '') !== typed.trim()) setTyped(q ?? '');
  }
  const wanted = typed.trim().length >= MIN_TYPED ? typed.trim() : undefined;
  const start = () => {
    if (wanted !== q) search(wanted);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts a search
  useEffect(() => {
    const timer = setTimeout(start, WAIT_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  return { typed, setTyped, start };
}
