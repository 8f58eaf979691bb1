import { MINUTE_MS } from '../../../platform/time.ts';
import { AnswerNotEvaluatedError, isRateLimit, ProviderError, RateLimitError, RpcError } from './errors.ts';
import { MalformedAnswerError, record } from './shapes.ts';

/** Where a bug is logged that answers trigger. */
export interface BugLog {
  error(fields: { provider: string; method: string | undefined; err: unknown; alarm: string }, message: string): void;
}

/** Whose answer is evaluated. */
interface Answering {
  provider: string;
  log: BugLog | undefined;
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
      if (isRateLimit(error)) throw new RateLimitError(`${name}: ${error.message}`, { cause: error });
      throw error;
    }
    if (error instanceof MalformedAnswerError)
      throw new ProviderError(`${name}, ${method}: ${error.message}`, { cause: error });
    throw notEvaluated(error, answering, method);
  }
}

/** Whether an answer, or one in a batch, is a node's error. */
export function hasError(answer: unknown): boolean {
  return [answer].flat().some((one) => typeof one === 'object' && one !== null && 'error' in one && one.error != null);
}

/**
 * What a provider answers instead of taking a batch of this size: one error for all calls, which geth puts into a list as
 * that of the first call, or the same for each. Undefined if it answered them.
 */
export function refusalOfBatch(answer: unknown, calls: number): unknown {
  if (!Array.isArray(answer)) return answer;
  const errors = answer.filter(hasError);
  const isOfAll = answer.length < calls || errors.filter(namesBatch).length === calls;
  return isOfAll ? errors[0] : undefined;
}

function namesBatch({ error }: { error: { message?: unknown } }): boolean {
  return typeof error.message === 'string' && /\bbatch/i.test(error.message.slice(0, 200));
}

/** One error for a whole batch may be that of a rate limit, or of the number of its calls. */
export function requireNoRateLimit(name: string, answer: unknown): void {
  if (!hasError(answer)) return;
  const { error } = answer as { error: unknown };
  const refusal = toRpcError('batch', typeof error === 'object' && !Array.isArray(error) ? error : { message: error });
  if (isRateLimit(refusal)) throw new RateLimitError(`${name}: ${refusal.message}`, { cause: refusal });
}

export function toRpcError(method: string, error: unknown): RpcError {
  const raw = record(error, 'error');
  const data = typeof raw.data === 'string' ? ` ${raw.data}` : '';
  return new RpcError(
    method,
    Number.isInteger(raw.code) ? (raw.code as number) : 0,
    `${typeof raw.message === 'string' ? raw.message : 'no message'}${data}`.slice(0, 300),
  );
}

/** The failure of a provider whose answers trigger a bug. The bug is logged, so that it stays visible. */
export function notEvaluated(error: unknown, { provider, log }: Answering, method?: string): AnswerNotEvaluatedError {
  log?.error(
    { err: error, provider, method, alarm: 'answer_not_evaluated' },
    'answer not evaluated: its content triggers a bug',
  );
  const details = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
  return new AnswerNotEvaluatedError(
    `${provider}${method ? `, ${method}` : ''}: its answer cannot be evaluated (${details})`,
    { cause: error },
  );
}

const LOG_EVERY_MS = 1 * MINUTE_MS;

/** Logs one line a minute for each provider and method: a provider must not fill the log with its answers. */
export function oncePerMinute(log: BugLog): BugLog {
  const loggedAtMs = new Map<string, number>();
  return {
    error(fields, message) {
      const [what, nowMs] = [`${fields.provider} ${fields.method}`, performance.now()];
      if (nowMs - (loggedAtMs.get(what) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
      loggedAtMs.set(what, nowMs);
      log.error(fields, message);
    },
  };
}
