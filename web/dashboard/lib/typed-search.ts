import { useEffect, useState } from 'react';

const WAIT_MS = 250;
const MIN_TYPED = 2;

/**
 * The typed text, and its search after a pause or at once with `start`. A change of `q`, which the address decides, changes
 * the field too.
 */
export function useTypedSearch(q: string | undefined, search: (wanted: string | undefined) => void) {
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
