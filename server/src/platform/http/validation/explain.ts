import type { ErrorObject } from 'ajv';
import { type TextForm, unreadableIn } from '@quittance/contract/readable-text';
import { printable } from './text.ts';

/** The wrong field, and a sentence that says what is wrong and what is expected. */
export function explain(
  errors: ErrorObject[],
  root: unknown,
  place: 'body' | 'query',
): { param?: string; message: string } {
  const error = mostRelevantError(errors);
  const path = fieldPath(error.instancePath, root);
  const param = missing(error) ?? extra(error);
  const full = param === undefined ? path : join(path, param);
  const name = full === '' ? 'The body' : `\`${full}\``;
  const message = `${name} ${sentence(error, errors, place)}`;
  return full === '' ? { message } : { param: full, message };
}

/** Of a union's errors, the one for the branch that was probably meant. */
function mostRelevantError(errors: ErrorObject[]): ErrorObject {
  const last = errors[errors.length - 1] as ErrorObject;
  if (last.keyword !== 'anyOf' && last.keyword !== 'oneOf') return last;
  const inner = errors.slice(0, -1).filter((error) => error.keyword !== 'const');
  const deepest = inner.toSorted((a, b) => b.instancePath.length - a.instancePath.length)[0];
  if (deepest && deepest.instancePath.length > last.instancePath.length) return deepest;
  return inner.find((error) => error.keyword !== 'type') ?? last;
}

function missing(error: ErrorObject): string | undefined {
  return error.keyword === 'required' ? String(error.params.missingProperty) : undefined;
}

function extra(error: ErrorObject): string | undefined {
  if (error.keyword === 'additionalProperties') return printable(String(error.params.additionalProperty));
  if (error.keyword === 'propertyNames') return printable(String(error.params.propertyName));
  return error.propertyName === undefined ? undefined : printable(error.propertyName);
}

function sentence(error: ErrorObject, errors: ErrorObject[], place: 'body' | 'query'): string {
  // A schema may state its rule in words, if the keyword alone would be unclear.
  const rule = (error.parentSchema as { rule?: string } | undefined)?.rule;
  const keyRule = (error.schema as { rule?: string } | undefined)?.rule;
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return 'is required.';
    case 'type':
      return `must be ${rule ?? types([].concat(params.type))}, not ${kindOf(error.data, place)}.`;
    case 'enum':
      return `must be ${oneOf(params.allowedValues)}.`;
    case 'const':
      return `must be ${oneOf([params.allowedValue])}.`;
    case 'anyOf':
    case 'oneOf':
      return rule ? `must be ${rule}.` : union(error, errors, place);
    case 'additionalProperties':
      return 'is not a known field.';
    case 'propertyNames':
      return keyRule ? `is not allowed as a key: keys must be ${keyRule}.` : 'is not allowed as a key.';
  }
  if (error.keyword === 'text') return unreadable(String(error.data), { lines: error.schema === 'lines' });
  if (rule) return `must be ${rule}.`;
  switch (error.keyword) {
    case 'minLength':
      return params.limit === 1 ? 'must not be empty.' : `must have at least ${params.limit} characters.`;
    case 'maxLength':
      return `must have at most ${count(params.limit, 'character')}.`;
    case 'minimum':
      return `must be ${params.limit} or more.`;
    case 'maximum':
      return `must be ${params.limit} or less.`;
    case 'exclusiveMinimum':
      return `must be more than ${params.limit}.`;
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}.`;
    case 'minItems':
      return params.limit === 1 ? 'must not be empty.' : `must have at least ${params.limit} entries.`;
    case 'maxItems':
      return `must have at most ${params.limit} entries.`;
    case 'minProperties':
      return `must have at least ${params.limit} keys.`;
    case 'maxProperties':
      return `must have at most ${params.limit} keys.`;
    case 'uniqueItems':
      return 'must not contain duplicates.';
    case 'format':
      return `must be ${FORMATS[String(params.format)] ?? `in the format ${params.format}`}.`;
    case 'pattern':
      return `does not match the expected format${example(error.parentSchema)}.`;
    default:
      return `is not valid: it ${error.message ?? 'does not match the documented schema'}.`;
  }
}

function example(schema: unknown): string {
  const [first] = (schema as { examples?: unknown[] } | undefined)?.examples ?? [];
  return first === undefined ? '' : `, such as \`${String(first)}\``;
}

const FORMATS: Record<string, string> = {
  email: 'an email address',
  uri: 'an absolute URL such as https://example.com/done',
  'date-time': 'a date and time such as 2026-01-31T12:00:00Z',
};

function unreadable(text: string, form: TextForm): string {
  return (
    `contains ${unreadableIn(text, form)}. Send ${form.lines ? 'text' : 'one line of text'} without ` +
    'control characters, direction overrides and invisible characters, of which something can be read.'
  );
}

function union(error: ErrorObject, errors: ErrorObject[], place: 'body' | 'query'): string {
  const inner = errors.slice(0, -1).filter((other) => other.instancePath === error.instancePath);
  const constants = inner.filter((other) => other.keyword === 'const').map((other) => other.params.allowedValue);
  if (constants.length > 0 && constants.length === inner.length) return `must be ${oneOf(constants)}.`;
  const wanted = inner.filter((other) => other.keyword === 'type').map((other) => String(other.params.type));
  const choices = [...(constants.length > 0 ? [oneOf(constants)] : []), ...(wanted.length > 0 ? [types(wanted)] : [])];
  return choices.length > 0
    ? `must be ${choices.join(', or ')}, not ${kindOf(error.data, place)}.`
    : 'does not match any of the documented schemas.';
}

const ARTICLES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

function types(names: string[]): string {
  return names.map((name) => ARTICLES[name] ?? name).join(' or ');
}

function kindOf(value: unknown, place: 'body' | 'query'): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  // Every value of a query is a text, so its kind says nothing.
  if (place === 'query' && typeof value === 'string') return shown(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a number with decimals';
  return ARTICLES[typeof value] ?? typeof value;
}

function shown(text: string): string {
  if (text === '') return 'an empty text';
  return /^[!-_a-~]{1,40}$/.test(text) ? `\`${text}\`` : 'this text';
}

function oneOf(values: unknown[]): string {
  const texts = values.map((value) => (typeof value === 'string' ? `\`${value}\`` : String(value)));
  return texts.length === 1 ? String(texts[0]) : `one of ${texts.join(', ')}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** `/line_items/0/quantity` in JavaScript's form: `line_items[0].quantity`. */
function fieldPath(pointer: string, root: unknown): string {
  let path = '';
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(value) ? `${path}[${key}]` : join(path, printable(key));
    value = (value as Record<string, unknown> | undefined)?.[key];
  }
  return path;
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
