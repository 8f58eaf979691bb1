import { MINUTE_MS } from '../../../platform/time.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Block } from './shapes.ts';

const MAX_BLOCKS = 1_000;
/** Both passes read on more often than this while anything waits for a verdict. */
const READ_ON_WITHIN_MS = 1 * MINUTE_MS;

/** What one provider has shown, by block number, and when it last read on without a reorg, by the monotonic clock. */
interface Shown {
  blocks: Map<bigint, Block>;
  readOnAtMs: number;
}

type Named = Pick<Provider, 'name'>;

/**
 * The blocks of transfers that each provider has shown, so that it is not asked for them again when it reports. They count
 * only while that provider reads on from them, and are all forgotten at the first doubt about the branch: a node's old
 * answer about a transaction must not outlive its block.
 */
export class ShownBlocks {
  readonly #byProvider = new Map<string, Shown>();

  add(provider: Named, block: Block): void {
    const { blocks } = this.#of(provider);
    blocks.set(block.number, block);
    for (const oldest of blocks.keys()) {
      if (blocks.size <= MAX_BLOCKS) break;
      blocks.delete(oldest);
    }
  }

  find({ name }: Named, { number, hash }: Pick<Block, 'number' | 'hash'>): Block | undefined {
    const shown = this.#byProvider.get(name);
    if (!shown || performance.now() - shown.readOnAtMs >= READ_ON_WITHIN_MS) return undefined;
    const block = shown.blocks.get(number);
    return block?.hash === hash ? block : undefined;
  }

  readOn(provider: Named): void {
    this.#of(provider).readOnAtMs = performance.now();
  }

  forgetAll(): void {
    this.#byProvider.clear();
  }

  #of({ name }: Named): Shown {
    const shown = this.#byProvider.get(name) ?? { blocks: new Map(), readOnAtMs: Number.NEGATIVE_INFINITY };
    this.#byProvider.set(name, shown);
    return shown;
  }
}
