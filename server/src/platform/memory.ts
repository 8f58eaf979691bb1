import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Lets the heap grow by half of what lives in it before V8 looks for garbage there. By itself V8 lets it become four times
 * as large, which one account's large answers fill with garbage within seconds.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/**
 * Collects garbage once. A start allocates tens of megabytes that are never needed again, and V8 keeps them as long as the
 * service has little to do.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
