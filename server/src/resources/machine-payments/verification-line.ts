import type { ReceiveNetwork } from '@quittance/contract';
import { fail } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';

const MAX_VERIFIED_AT_ONCE = 32;
const MAX_WAITING = 2_000;
const MAX_WAIT_MS = 5 * SECOND_MS;
const RETRY_AFTER_SECONDS = 5;

interface Line {
  judging: number;
  /** Each function starts one waiting credential. */
  waiting: Set<() => void>;
}

/** A process's lines, by network. */
export type VerificationLines = Map<ReceiveNetwork, Line>;

/**
 * Verifying a credential asks its network, which strangers must not occupy, so few run at once. Each network has its
 * own line, so that a hanging network delays no other.
 */
export async function inTurn<T>(lines: VerificationLines, network: ReceiveNetwork, work: () => Promise<T>): Promise<T> {
  const line = lines.get(network) ?? { judging: 0, waiting: new Set() };
  lines.set(network, line);
  if (line.judging < MAX_VERIFIED_AT_ONCE) line.judging += 1;
  else await waitIn(line);
  try {
    return await work();
  } finally {
    // The next in line takes this place.
    const [next] = line.waiting;
    if (next) next();
    else line.judging -= 1;
  }
}

async function waitIn({ waiting }: Line): Promise<void> {
  if (waiting.size >= MAX_WAITING) refuseToWait();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const start = () => {
    waiting.delete(start);
    resolve(true);
  };
  waiting.add(start);
  const timer = setTimeout(() => resolve(!waiting.delete(start)), MAX_WAIT_MS);
  const isStarted = await promise;
  clearTimeout(timer);
  if (!isStarted) refuseToWait();
}

function refuseToWait(): never {
  fail('rate_limited', {
    message: 'Too many payments are being verified.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
