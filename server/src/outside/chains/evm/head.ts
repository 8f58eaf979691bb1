import type { Head } from '../chain.ts';
import { ProviderError, type RpcError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import { blockByNumber } from './calls.ts';
import { isUnsupported } from './refusals.ts';
import type { Block } from './shapes.ts';
import { toBlockRef } from './transfers.ts';

/** The newest block as one provider tells it, with the tags it knows. */
export async function readHead(provider: Provider): Promise<Head> {
  const [latest, safe, finalized] = await provider.attempt<Block | null>([
    blockByNumber('latest'),
    blockByNumber('safe'),
    blockByNumber('finalized'),
  ]);
  if (!latest || 'error' in latest) throw latest?.error ?? new ProviderError(`${provider.name} returned no head`);
  if (latest.value === null) throw new ProviderError(`${provider.name} has no newest block`);
  const head = latest.value;
  return { ...toBlockRef(head), safe: upTo(head, safe), finalized: upTo(head, finalized) };
}

/** A tag is null where the chain or the provider has none; one that runs ahead was asked for a moment later. */
function upTo(head: Block, tag: { value: Block | null } | { error: RpcError } | undefined): bigint | null {
  // A slip is no missing tag: without the tag a count of blocks decides, and it must not come to that by a slip.
  if (tag && 'error' in tag && !hasNoTag(tag.error)) throw tag.error;
  if (!tag || 'error' in tag || tag.value === null) return null;
  return tag.value.number < head.number ? tag.value.number : head.number;
}

const INVALID_PARAMS = -32602;

/** Older nodes take the tag for a malformed number, or for a block that they do not know. */
function hasNoTag(error: RpcError): boolean {
  return (
    isUnsupported(error) ||
    error.code === INVALID_PARAMS ||
    /unknown block|\bblock\b.{0,40}\bnot (found|available|exist)|invalid (argument|block|tag|param)|hex string/i.test(
      error.message,
    )
  );
}
