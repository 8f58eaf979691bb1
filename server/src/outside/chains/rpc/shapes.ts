/** The answer has not the form that the protocol promises. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

export function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Malformed(`${what} is not an object`);
  return value as Record<string, unknown>;
}

export function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new Malformed(`${what} is not a list`);
  return value;
}
