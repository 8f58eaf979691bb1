import type { Head } from '../chain.ts';
import { ProviderFailure } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import { blockByNumber } from './calls.ts';
import type { Block } from './shapes.ts';
import { toBlockRef } from './transfers.ts';

/** The newest block as one provider tells it, with the tags it knows. */
export async function readHead(provider: Provider): Promise<Head> {
  const [latest, safe, finalized] = await provider.attempt<Block | null>([blockByNumber('latest'), blockByNumber('safe'), blockByNumber('finalized')]);
  if (!latest || 'error' in latest) throw latest?.error ?? new ProviderFailure(`${provider.name} told no head`);
  if (latest.value === null) throw new ProviderFailure(`${provider.name} has no newest block`);
  const head = latest.value;
  // A tag is null where the chain or the provider has none; one that runs ahead was asked for a moment later.
  const upTo = (tag: typeof safe) => (!tag || 'error' in tag || tag.value === null ? null : tag.value.number < head.number ? tag.value.number : head.number);
  return { ...toBlockRef(head), safe: upTo(safe), finalized: upTo(finalized) };
}
