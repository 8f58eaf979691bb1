import { ERRORS, type ErrorCode } from '@quittance/contract';

/** An expected failure: a row of `contract/errors.ts`, with the field that caused it. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  /** Seconds for the `Retry-After` header, if waiting helps. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: FailOptions = {}) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export interface FailOptions {
  /** The path of the offending field: `line_items[0].quantity`. */
  param?: string;
  /** What was wrong and what is expected, if this can be more specific than the table's sentence. */
  message?: string;
  /** For the log only. */
  cause?: unknown;
  retryAfterSeconds?: number;
}

/** Ends the request with this row of the error table. */
export function fail(code: ErrorCode, options?: FailOptions): never {
  throw new ApiError(code, options);
}

/** An external service failed in a way that may not last. A timeout is one of these: "unknown", never "no". */
export class TemporaryError extends Error {
  override readonly name = 'TemporaryError';
}

/** An external service gave a final negative answer. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/** The service cannot start. The message explains to the operator why and what to do, and is shown without a stack. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
  readonly exitCode: number = 1;
}

/** A setting is wrong, so that starting again does not help. The unit of systemd names the exit code. */
export class ConfigError extends StartupError {
  override readonly name = 'ConfigError';
  /** EX_CONFIG of sysexits.h. */
  override readonly exitCode = 78;
}

/** Throws if something impossible has happened. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${why}`);
}

/** Ends a `switch` over a union, so that the compiler finds every place that a new member affects. */
export function assertNever(value: never): never {
  throw new Error(`unexpected: ${JSON.stringify(value)}`);
}
