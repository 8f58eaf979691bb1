import { TemporaryError } from '../../../platform/errors.ts';
import type { BlockRef } from '../chain.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';
import { MAJORITY_MIN_PROVIDERS } from './quorum.ts';

type FindBlock = (provider: Provider, number: bigint) => Promise<BlockRef | undefined>;

/** Asks several providers for a block where one alone claims that it was replaced: that one may be on another branch. */
export class Branches {
  readonly #providers: Providers;
  readonly #find: FindBlock;

  constructor(providers: Providers, find: FindBlock) {
    this.#providers = providers;
    this.#find = find;
  }

  /** How many of these providers have this block, and how many have another one in its place. The rest do not answer, or have none. */
  async count(
    { number, hash }: Pick<BlockRef, 'number' | 'hash'>,
    names: readonly string[],
  ): Promise<{ same: number; other: number }> {
    const blocks = await this.#ask(number, names);
    return {
      same: blocks.filter((block) => block?.hash === hash).length,
      other: blocks.filter((block) => block && block.hash !== hash).length,
    };
  }

  /** Whether most of three or more providers say so of their block with this number. */
  async isTrueForMost(number: bigint, says: (block: BlockRef) => boolean): Promise<boolean> {
    const { names } = this.#providers;
    if (names.length < MAJORITY_MIN_PROVIDERS) return false;
    const blocks = await this.#ask(number, names);
    return 2 * blocks.filter((block) => block && says(block)).length > names.length;
  }

  /** See `Chain.isHeldByMost`. */
  isHeldByMost({ number, hash }: Pick<BlockRef, 'number' | 'hash'>): Promise<boolean> {
    return this.isTrueForMost(number, (block) => block.hash === hash);
  }

  #ask(number: bigint, names: readonly string[]): Promise<(BlockRef | undefined)[]> {
    return Promise.all(
      names.map((name) =>
        this.#providers
          .use((provider) => this.#find(provider.proven, number), { only: [name] })
          .catch((failure: unknown) => {
            if (failure instanceof TemporaryError) return undefined;
            throw failure;
          }),
      ),
    );
  }
}
