import type { BlockRef } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Block } from './shapes.ts';
import type { Solana } from './solana.ts';

const MAX_BLOCKS = 1_000;

/** Keeps a finalized block that a provider has shown: it never changes, and a report need not ask for it again. */
export function keepShown({ shown }: Solana, { name }: Pick<Provider, 'name'>, block: Block): void {
  shown.set(`${name} ${block.slot}`, block);
  for (const oldest of shown.keys()) {
    if (shown.size <= MAX_BLOCKS) break;
    shown.delete(oldest);
  }
}

/** A finalized block, if this provider has shown it. */
export function shownBlock(
  { shown }: Solana,
  { name }: Pick<Provider, 'name'>,
  { number, hash }: BlockRef,
): Block | undefined {
  const block = shown.get(`${name} ${number}`);
  return block?.hash === hash ? block : undefined;
}
