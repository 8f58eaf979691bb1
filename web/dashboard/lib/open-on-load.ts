import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Opens a dialog for `?new=true` in the address, once: going back must not open it again. */
export function useOpenOnLoad(isAsked: true | undefined, open: () => void): void {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the address decides
  useEffect(() => {
    if (!isAsked) return;
    open();
    void navigate({ to: '.', search: {}, replace: true });
  }, [isAsked]);
}

export function readAsked(search: Record<string, unknown>): { new?: true | undefined } {
  return { new: search.new === true || undefined };
}
