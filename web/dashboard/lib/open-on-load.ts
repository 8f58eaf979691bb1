import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Opens a dialog that the address asks for, such as `?new=true`, once: going back must not open it again. */
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

/** A new link is created, or one link is shown. */
export function readAskedLink(search: Record<string, unknown>): { new?: true | undefined; id?: string | undefined } {
  return { ...readAsked(search), id: typeof search.id === 'string' ? search.id.slice(0, 64) : undefined };
}
