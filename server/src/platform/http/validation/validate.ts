import type { ErrorCode } from '@quittance/contract';
import { unreadableIn } from '@quittance/contract/readable-text';
import type { TObject, TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import ajvFormats from 'ajv-formats';
import { readEmailAddress } from '../../email-address.ts';
import { ApiError } from '../../errors.ts';
import { explain } from './explain.ts';

// Nothing is coerced: `49` is not the amount "49". Unknown fields are kept and never read.
const ajv = new Ajv({
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allErrors: false,
  verbose: true,
  strict: false,
});
ajvFormats.default(ajv);
// The format accepts leap seconds, which `Date` cannot represent, and the year 0, which PostgreSQL does not have.
const dateTime = ajvFormats.default.get('date-time') as { validate: (text: string) => boolean };
ajv.addFormat('date-time', (text) => dateTime.validate(text) && new Date(text).getUTCFullYear() >= 1);
// The format knows no international domain, and accepts what no mail can be sent to.
ajv.addFormat('email', (text) => readEmailAddress(text) !== undefined);
// No format, because programs that read the published document know only those of the standard.
ajv.addKeyword({
  keyword: 'text',
  type: 'string',
  validate: (form: 'line' | 'lines' | 'url', text: string, _schema?: unknown, place?: DataValidationCxt) => {
    if (unreadableIn(text, { lines: form === 'lines' }) !== null) return false;
    // A space at an end makes `A-7` look like another one. A key of an object has no place, and a URL is taken as it is.
    if (form === 'line' && place?.parentData?.[place.parentDataProperty] === text)
      place.parentData[place.parentDataProperty] = text.trim();
    return true;
  },
});
// The format has no letters of other languages, which people write in hosts and paths.
const uri = ajvFormats.default.get('uri') as (text: string) => boolean;
ajv.addFormat('uri', (text) => uri(text.replace(/(?![\s\p{C}])[^\0-\x7f]/gu, 'x')));

/**
 * Validates a part of the request and fills in defaults. Returns the operation's own error, naming the field, or null.
 */
export type Check = (value: unknown, code: ErrorCode) => ApiError | null;

/** The check of a body, which is an object whatever its schema. */
export function bodyCheck(schema: TSchema): Check {
  const validate = ajv.compile(schema);
  return (value, code) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return new ApiError('invalid_request', { message: 'The body must be a JSON object.' });
    return run(validate, value, { code, place: 'body' });
  };
}

/** The check of a query string. Its values are texts, so whole numbers and booleans are parsed first. */
export function queryCheck(schema: TObject): Check {
  const validate = ajv.compile(schema);
  return (value, code) => {
    const query = value as Record<string, unknown>;
    for (const [name, property] of Object.entries(schema.properties)) {
      const text = query[name];
      if (Array.isArray(text) && property.type !== 'array') {
        return new ApiError(code, { param: name, message: `\`${name}\` was sent more than once. Send it once.` });
      }
      if (typeof text === 'string') query[name] = read(text, property);
    }
    return run(validate, query, { code, place: 'query' });
  };
}

function run(
  validate: ValidateFunction,
  value: unknown,
  { code, place }: { code: ErrorCode; place: 'body' | 'query' },
): ApiError | null {
  if (validate(value)) return null;
  return new ApiError(code, explain(validate.errors as ErrorObject[], value, place));
}

/** Explicit, because JavaScript parses more as a number than a merchant writes: hexadecimal, exponents, spaces. */
function read(text: string, property: TSchema): unknown {
  if ((property.type === 'integer' || property.type === 'number') && /^-?\d{1,100}$/.test(text)) return Number(text);
  if (property.type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (property.type === 'array') return [text];
  return text;
}
