import { ProviderFailure } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { historyOf } from './calls.ts';
import type { Entry } from './shapes.ts';

// Most accounts have nothing new; a page for those that have much is as long as nodes allow.
const FIRST_PAGE = 20;
const PAGE = 1_000;
const PAGES_MOST = 1_000;

/**
 * Everything that happened to these accounts after a slot, oldest first, each transaction once. Comes from a provider
 * that has come as far as `atLeast`.
 */
export async function historySince(provider: Provider, addresses: readonly string[], after: bigint, atLeast: bigint): Promise<Entry[]> {
  const found = new Map<string, Entry>();
  let open: { address: string; before?: Entry }[] = addresses.map((address) => ({ address }));
  for (let round = 0; open.length > 0; round++) {
    if (round >= PAGES_MOST) throw new ProviderFailure(`${provider.name} tells histories without an end`);
    const limit = round === 0 ? FIRST_PAGE : PAGE;
    const pages = await provider.batch<Call<Entry[]>[]>(open.map((one) => historyOf(one.address, { limit, atLeast, ...(one.before && { before: one.before.signature }) })));
    open = open.flatMap(({ address, before }, at) => {
      const page = pages[at] as Entry[];
      const fresh = page.filter((entry) => entry.slot > after);
      for (const entry of fresh) found.set(entry.signature, entry);
      const [newest] = page;
      if (before && newest && (newest.slot > before.slot || page.some((entry) => entry.signature === before.signature))) {
        throw new ProviderFailure(`${provider.name} tells a history that does not go back`);
      }
      const last = fresh.at(-1);
      // A page may be shorter than asked for though there is more; only an empty one, or one that reaches back, is the end.
      return last !== undefined && fresh.length === page.length ? [{ address, before: last }] : [];
    });
  }
  return [...found.values()].sort((a, b) => (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0));
}
