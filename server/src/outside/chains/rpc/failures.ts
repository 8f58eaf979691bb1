import type { Logger } from 'pino';
import { MINUTE_MS } from '../../../platform/time.ts';
import { AnswerNotEvaluatedError, isRateLimit, ProviderError, RpcError, UnansweredError } from './errors.ts';
import { MalformedAnswerError } from './shapes.ts';

type ErrorLog = Pick<Logger, 'error'>;

/** By provider and method. */
const LOG_EVERY_MS = 1 * MINUTE_MS;

/** Whose answer is evaluated, and where a bug in the evaluation is logged. */
interface Answering {
  provider: string;
  log: ErrorLog | undefined;
}

/**
 * Parses a result. Throws `RpcError` or `ProviderError` only: whatever a provider answers is its own failure, and never
 * that of the network.
 */
export function evaluate<T>({ method }: { method: string }, answering: Answering, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const name = answering.provider;
    if (error instanceof ProviderError) throw error;
    if (error instanceof RpcError) {
      if (isRateLimit(error)) throw new UnansweredError(`${name}: ${error.message}`, { cause: error });
      throw error;
    }
    if (error instanceof MalformedAnswerError)
      throw new ProviderError(`${name}, ${method}: ${error.message}`, { cause: error });
    throw notEvaluated(error, answering, method);
  }
}

/** The failure of a provider whose answers trigger a bug. The bug is logged, so that it stays visible. */
export function notEvaluated(error: unknown, { provider, log }: Answering, method?: string): AnswerNotEvaluatedError {
  if (log && mayLog(log, `${provider} ${method}`))
    log.error(
      { err: error, provider, method, alarm: 'answer_not_evaluated' },
      'answer not evaluated: its content triggers a bug',
    );
  const details = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
  return new AnswerNotEvaluatedError(
    `${provider}${method ? `, ${method}` : ''}: its answer cannot be evaluated (${details})`,
    { cause: error },
  );
}

const loggedAtMs = new WeakMap<ErrorLog, Map<string, number>>();

/** A provider must not fill the log with its answers. */
function mayLog(log: ErrorLog, what: string): boolean {
  const times = loggedAtMs.get(log) ?? new Map<string, number>();
  loggedAtMs.set(log, times);
  const last = times.get(what);
  const nowMs = performance.now();
  if (last !== undefined && nowMs - last < LOG_EVERY_MS) return false;
  times.set(what, nowMs);
  return true;
}
