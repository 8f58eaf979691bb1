import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Mode } from '@quittance/contract';

const AGAIN_MS = 5_000;
const GATHER_MS = 300;

/**
 * Reloads what is shown whenever an event of this mode is recorded. Without a stream everything still works, only
 * later.
 */
export function useLiveUpdates(mode: Mode): void {
  const client = useQueryClient();
  useEffect(() => {
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () =>
          void client.invalidateQueries({
            predicate: ({ queryKey }) => queryKey[0] === mode && LIVE.has(String(queryKey[1])),
          }),
        GATHER_MS,
      );
    };
    void follow(mode, refresh, stopping.signal);
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [mode, client]);
}

/** The lists that events change. */
const LIVE = new Set([
  'payments',
  'payment',
  'money',
  'customers',
  'customer',
  'timeline',
  'overview',
  'transfers',
  'attention',
  'deliveries',
  'endpoints',
  'onboarding',
]);

async function follow(mode: Mode, onEvent: () => void, signal: AbortSignal): Promise<void> {
  for (let isAgain = false; !signal.aborted; isAgain = true) {
    try {
      // `EventSource` cannot send the mode. Low, like one: what the page shows comes first, and tools that wait until a
      // page has loaded do not wait for a stream that never ends.
      const response = await fetch('/v1/events/stream', {
        headers: { 'service-mode': mode, accept: 'text/event-stream' },
        priority: 'low',
        signal,
      });
      if (response.status === 401) return;
      // A stream begins with what happens from now on.
      if (isAgain && response.ok) onEvent();
      const reader = response.ok ? response.body?.pipeThrough(new TextDecoderStream()).getReader() : undefined;
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
        if (/^event: payment\./m.test(read.value)) onEvent();
      }
    } catch {
      // Closed by this page or by the network; the next turn decides.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
