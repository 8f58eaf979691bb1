import type { Mode } from '@quittance/contract';
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { currentMode, get, getPage, type Page, ApiError, storeMode } from './api.ts';
import { ago } from './format.ts';
import { useLanguage } from './i18n.tsx';
import type { AccountJson, AssetsJson, AttentionJson } from './types.ts';

const AGAIN_MS = 1_000;

/** Calls `change` at once, or when the merchant has agreed to it. */
export type ModeGuard = (change: () => void) => void;

interface ModeState {
  mode: Mode;
  setMode(mode: Mode): void;
  /** Set by a view that would lose something in the other mode. */
  guard: { current: ModeGuard | null };
}

export const ModeContext = createContext<ModeState>({
  mode: currentMode(),
  setMode: storeMode,
  guard: { current: null },
});

export function useMode(): ModeState {
  return useContext(ModeContext);
}

export function useAccount() {
  const { mode } = useMode();
  return useQuery({
    queryKey: [mode, 'account'],
    queryFn: () => get<AccountJson>('/v1/account'),
    retry: retryable,
    staleTime: 60_000,
  });
}

/** One object of this mode; `noun` names it, for updates. */
export function useRead<T>(
  noun: string,
  path: string,
  query: Record<string, string | number | boolean | undefined> = {},
  options: {
    enabled?: boolean;
    keep?: boolean;
    again?: (data: T) => boolean;
    /** The view is complete without it, so the frame says if it cannot be read. */
    isAside?: boolean;
  } = {},
) {
  const { mode } = useMode();
  return useQuery({
    queryKey: [mode, noun, path, query],
    queryFn: () => get<T>(path, query),
    retry: retryable,
    enabled: options.enabled ?? true,
    meta: { isAside: options.isAside },
    // Each part of a view that asks for it would take back what the frame says.
    retryOnMount: !options.isAside,
    ...(options.keep && { placeholderData: keepPreviousData }),
    // Polls unfinished work, because no event reports its end.
    refetchInterval: ({ state }) => (state.data !== undefined && options.again?.(state.data) ? AGAIN_MS : false),
  });
}

/** How long ago something happened, by the clock of this mode; null if it is still to come. */
export function useAgo(): (at: string) => string | null {
  const { locale } = useLanguage();
  const { mode } = useMode();
  const ahead = useAccount().data?.test_clock.offset_seconds ?? 0;
  return (at) => ago(locale, at, Date.now() + (mode === 'test' ? ahead * 1_000 : 0));
}

const NO_ASSETS: AssetsJson = { pay: [], receive: [] };

/** What this server offers; nothing until it has answered. */
export function useAssets(): AssetsJson {
  return useRead<AssetsJson>('assets', '/dashboard/api/assets', {}, { isAside: true }).data ?? NO_ASSETS;
}

/** What settlement could not finish or did not list for this account. */
export function useAttention() {
  return useRead<AttentionJson>('attention', '/dashboard/api/attention', {}, { isAside: true });
}

/** What a view needs to know of a list. */
export type List = Pick<
  ReturnType<typeof useList>,
  | 'isPending'
  | 'isLoadingError'
  | 'error'
  | 'refetch'
  | 'items'
  | 'hasNextPage'
  | 'isFetchingNextPage'
  | 'fetchNextPage'
>;

/** A list of this mode, page by page. */
export function useList<T>(
  noun: string,
  path: string,
  query: Record<string, string | number | boolean | undefined> = {},
  options: { enabled?: boolean } = {},
) {
  const { mode } = useMode();
  const list = useInfiniteQuery({
    queryKey: [mode, noun, path, query],
    queryFn: ({ pageParam }) => getPage<T>(path, { ...query, cursor: pageParam || undefined }),
    initialPageParam: '',
    getNextPageParam: (page) => page.pagination.cursor ?? undefined,
    retry: retryable,
    enabled: options.enabled ?? true,
  });
  return { ...list, items: list.data?.pages.flatMap(({ data }) => data) ?? [] };
}

/** Runs an action, and then reloads these nouns. */
export function useAct<Input, Output>(
  act: (input: Input) => Promise<Output>,
  nouns: readonly string[],
): UseMutationResult<Output, Error, Input> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: () => client.invalidateQueries({ predicate: ({ queryKey }) => nouns.includes(String(queryKey[1])) }),
  });
}

/**
 * Switches one object of a list: the new state is shown at once, and the old one again if the service refuses. The list
 * is the first of the nouns, which are reloaded in either case.
 */
export function useSwitch<T extends { id: string }, Output>(
  act: (one: T) => Promise<Output>,
  nouns: readonly string[],
  switched: (one: T) => T,
): UseMutationResult<Output, Error, T, unknown> {
  const client = useQueryClient();
  const { mode } = useMode();
  const list = { queryKey: [mode, nouns[0]] };
  return useMutation({
    mutationFn: act,
    async onMutate(one) {
      // A response that is on its way would show the old state again.
      await client.cancelQueries(list);
      const before = client.getQueriesData(list);
      client.setQueriesData<InfiniteData<Page<T>>>(list, (shown) => shown && withOne(shown, switched(one)));
      return before;
    },
    onError(_error, _one, before) {
      for (const [key, data] of before ?? []) client.setQueryData(key, data);
    },
    onSettled: () => client.invalidateQueries({ predicate: ({ queryKey }) => nouns.includes(String(queryKey[1])) }),
  });
}

function withOne<T extends { id: string }>(shown: InfiniteData<Page<T>>, one: T): InfiniteData<Page<T>> {
  const pages = shown.pages.map((page) => ({ ...page, data: page.data.map((was) => (was.id === one.id ? one : was)) }));
  return { ...shown, pages };
}

function retryable(count: number, error: Error): boolean {
  return count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500);
}
