/** The JSON schemas that the tools' arguments use; a small part of the standard. */
export interface ArgumentsSchema {
  type: 'object';
  properties: Record<string, ArgumentSchema>;
  required?: readonly string[];
  additionalProperties: false;
}

export interface ArgumentSchema {
  type: 'string' | 'integer' | 'object';
  description: string;
  enum?: readonly string[];
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  additionalProperties?: { type: 'string' };
}

/** What is wrong with the arguments of a call, in a sentence; undefined if nothing is. */
export function objectionTo(schema: ArgumentsSchema, given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'The arguments must be an object.';
  for (const name of schema.required ?? []) if (!Object.hasOwn(given, name)) return `\`${name}\` is required.`;
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!field) return `This tool does not take ${printableName(name)}. It takes ${takenBy(schema)}.`;
    const rule = brokenRule(field, value);
    if (rule) return `\`${name}\` must be ${rule}.`;
  }
  return undefined;
}

/** Agents repeat what they are answered, so a text in place of a name is not repeated. */
function printableName(name: string): string {
  return /^\w{1,40}$/.test(name) ? `\`${name}\`` : 'one of the arguments';
}

function takenBy({ properties }: ArgumentsSchema): string {
  const names = Object.keys(properties).map((name) => `\`${name}\``);
  return names.length > 0 ? names.join(', ') : 'none';
}

function brokenRule(field: ArgumentSchema, value: unknown): string | undefined {
  if (field.type === 'integer') {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = field;
    const fits = Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
    return fits ? undefined : `a whole number from ${minimum} to ${maximum}`;
  }
  if (field.type === 'object') {
    const fits = typeof value === 'object' && value !== null && !Array.isArray(value);
    return fits && Object.values(value).every((text) => typeof text === 'string') ? undefined : 'an object of strings';
  }
  if (typeof value !== 'string') return 'a string';
  if (field.enum && !field.enum.includes(value)) return `one of ${field.enum.join(', ')}`;
  if (field.maxLength !== undefined && value.length > field.maxLength)
    return `at most ${field.maxLength} characters long`;
  if (field.pattern && !new RegExp(field.pattern).test(value)) return `of the form ${field.pattern}`;
  return undefined;
}
