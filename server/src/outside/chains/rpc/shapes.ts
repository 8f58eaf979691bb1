/** The response does not have the form that the protocol specifies. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError';
}

export function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MalformedAnswerError(`${what} is not an object`);
  return value as Record<string, unknown>;
}

const MAX_REASON_LENGTH = 300;

/** Why an entry cannot be read. A bug that it triggers must not affect the other entries either, and names its place. */
export function whyUnreadable(error: unknown): string {
  if (error instanceof MalformedAnswerError) return error.message;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `it triggers a bug: ${stack.replaceAll(/\s+/g, ' ')}`.slice(0, MAX_REASON_LENGTH);
}

export function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new MalformedAnswerError(`${what} is not a list`);
  return value;
}
