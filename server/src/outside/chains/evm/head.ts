import { type Head, type HeadOptions, NOT_ASKED } from '../chain.ts';
import { ProviderError, type RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { blockByNumber } from './calls.ts';
import { isUnsupported } from './refusals.ts';
import type { Block } from './shapes.ts';
import { toBlockRef } from './transfers.ts';

/** The newest block as one provider reports it. */
export async function readNewestBlock(provider: Provider): Promise<Block> {
  const newest = await provider.call(blockByNumber('latest'));
  if (!newest) throw new ProviderError(`${provider.name} has no newest block`);
  return newest;
}

/** The newest block as one provider reports it, with the tags that it supports. */
export async function readHead(provider: Provider): Promise<Head & Pick<Block, 'parentHash'>> {
  return headFrom(provider, await provider.attempt(headCalls({ tags: true })));
}

/** What shows a head, in one request with other calls. */
export function headCalls({ tags }: HeadOptions): Call<Block | null>[] {
  return (tags ? (['latest', 'safe', 'finalized'] as const) : (['latest'] as const)).map(blockByNumber);
}

/** The head from the answers to these calls, in their order. */
export function headFrom(
  provider: Provider,
  [latest, safe, finalized]: readonly Answer[],
): Head & Pick<Block, 'parentHash'> {
  if (!latest || 'error' in latest) throw latest?.error ?? new ProviderError(`${provider.name} returned no head`);
  if (latest.value === null) throw new ProviderError(`${provider.name} has no newest block`);
  const head = latest.value;
  const tags = safe
    ? { safe: upTo(head, safe), finalized: upTo(head, finalized) }
    : { safe: NOT_ASKED, finalized: NOT_ASKED };
  return { ...toBlockRef(head), parentHash: head.parentHash, ...tags };
}

type Answer = { value: Block | null } | { error: RpcError };

/** Null if the chain or the provider has no such tag. A tag above the head was read a moment later and is capped. */
function upTo(head: Block, tag: Answer | undefined): bigint | null {
  // A failure is not a missing tag: without the tag a block count decides, and a failure must not cause that.
  if (tag && 'error' in tag && !hasNoTag(tag.error)) throw tag.error;
  if (!tag || 'error' in tag || tag.value === null) return null;
  return tag.value.number < head.number ? tag.value.number : head.number;
}

const INVALID_PARAMS = -32602;

/** Older nodes parse the tag as a malformed number, or as an unknown block. */
function hasNoTag(error: RpcError): boolean {
  return (
    isUnsupported(error) ||
    error.code === INVALID_PARAMS ||
    /unknown block|\bblock\b.{0,40}\bnot (found|available|exist)|invalid (argument|block|tag|param)|hex string/i.test(
      error.message,
    )
  );
}
