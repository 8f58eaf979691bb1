import { useCallback, useState } from 'react';

/** A small value in this browser's storage. An unreadable value is dropped. */
export function useStored<T>(name: string, first: T, isRight: (value: unknown) => value is T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
      return isRight(kept) ? kept : first;
    } catch {
      return first;
    }
  });
  const keep = useCallback(
    (next: T) => {
      localStorage.setItem(name, JSON.stringify(next));
      setValue(next);
    },
    [name],
  );
  return [value, keep];
}
