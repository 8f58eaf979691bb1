import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage once. A start allocates tens of megabytes that are never needed again, and V8 keeps them as long as the
 * service has little to do.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
