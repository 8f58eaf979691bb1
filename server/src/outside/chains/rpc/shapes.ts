/** The response does not have the form that the protocol specifies. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError';
}

export function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MalformedAnswerError(`${what} is not an object`);
  return value as Record<string, unknown>;
}

export function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new MalformedAnswerError(`${what} is not a list`);
  return value;
}
