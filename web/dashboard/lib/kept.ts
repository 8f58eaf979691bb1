import { useCallback, useState } from 'react';

/** Something small that this browser remembers; what it cannot read it forgets. */
export function useKept<T>(name: string, first: T, isRight: (value: unknown) => value is T): [T, (next: T) => void] {
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
