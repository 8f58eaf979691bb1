import { type ErrorCode, ERRORS } from '@quittance/contract';
import { documentPath, openApiDocument, type Operation, type ResponseObject } from '@quittance/contract/openapi';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface Answered {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string | string[] | number | undefined>;
  /** Parsed if it is JSON, otherwise the text. */
  body: unknown;
}

/**
 * Checks a response against the OpenAPI document and the rules for every response. Throws with everything that is
 * wrong.
 */
export function checkConformance(request: { method: string; path: string }, answer: Answered): void {
  const [path = ''] = request.path.split('?', 1);
  const wrong = deviations(request.method, path, answer);
  if (wrong.length > 0)
    throw new Error(
      `${request.method} ${request.path} → ${answer.status} is not as documented:\n  ${wrong.join('\n  ')}`,
    );
}

/** The same for one operation: `assertConforms('GET', '/v1/payments/{id}', { status: 200, headers, body })`. */
export function assertConforms(method: string, pathPattern: string, answer: Answered): void {
  checkConformance({ method, path: pathPattern }, answer);
}

/** Every deviation of a response from the documentation, one sentence each. */
export function deviations(method: string, path: string, answer: Answered): string[] {
  const { status, headers, body } = answer;
  const wrong: string[] = [];
  const asked = method === 'HEAD' ? 'GET' : method;

  if (!/^req_[0-9A-Za-z]{24}$/.test(text(headers['request-id']))) wrong.push('it has no Request-Id');
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    if (!/^[0-9]+$/.test(text(headers[name]))) wrong.push(`it has no ${name}`);
  }
  if ((status === 429 || codeOf(body) === 'service_unavailable') && !/^[0-9]+$/.test(text(headers['retry-after'])))
    wrong.push('it has no Retry-After');
  if (status >= 400 && method !== 'HEAD' && isJson(headers)) wrong.push(...errorDeviations(answer));

  const found = findOperation(asked, path);
  if (!found || method === 'HEAD') return wrong;
  const response = responseOf(found.operation, status);
  if (!response) return [...wrong, `the status is not documented for ${found.operation.operationId}`];

  const codes = response['x-error-codes'];
  if (codes && !codes.includes(codeOf(body) as string))
    wrong.push(`the code "${codeOf(body)}" is not documented for its ${status}; those are ${codes.join(', ')}`);
  return [...wrong, ...bodyDeviations(found, status, response, answer)];
}

function errorDeviations({ status, headers, body }: Answered): string[] {
  const { error, request_id } = (body ?? {}) as { error?: { code?: string }; request_id?: string };
  const known = ERRORS[error?.code as ErrorCode];
  return [
    ...(known ? [] : [`the error's code "${error?.code}" is unknown`]),
    ...(known && known.status !== status ? [`${error?.code} is a ${known.status}`] : []),
    ...(request_id === headers['request-id'] ? [] : ['request_id is not that of the header']),
  ];
}

function bodyDeviations(
  { operation, pointer }: Found,
  status: number,
  response: ResponseObject,
  { headers, body }: Answered,
): string[] {
  const [contentType] = Object.keys(response.content ?? {});
  if (!contentType) return [];
  if (!text(headers['content-type']).startsWith(contentType))
    return [`its content type is ${text(headers['content-type']) || 'missing'}, not ${contentType}`];
  if (contentType !== 'application/json') return [];

  const wrong: string[] = [];
  const validate = validatorOf(operation, pointer, status);
  if (!validate(body))
    wrong.push(
      ...(validate.errors ?? []).map(
        (error) => `${error.instancePath || 'the body'} ${error.message} ${JSON.stringify(error.params)}`,
      ),
    );
  if (status < 400 && typeof (body as { request_id?: unknown })?.request_id === 'string') {
    const original = headers['idempotent-replayed'] === undefined ? headers['request-id'] : headers['original-request'];
    if ((body as { request_id: string }).request_id !== original) wrong.push('request_id is not that of the header');
  }
  return wrong;
}

interface Found {
  operation: Operation;
  /** Its place in the document. */
  pointer: string;
}

const document = openApiDocument();

// Those without parameters first: `/events/stream` is not `/events/{id}`.
const templates = Object.keys(document.paths)
  .sort((one, other) => one.split('{').length - other.split('{').length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

function findOperation(method: string, path: string): Found | undefined {
  if (!path.startsWith('/v1/')) return undefined;
  const below = documentPath(path);
  const template = templates.find(({ pattern }) => pattern.test(below));
  const operation = template && document.paths[template.path]?.[method.toLowerCase()];
  return operation && { operation, pointer: `/paths/${escaped(template.path)}/${method.toLowerCase()}` };
}

function responseOf(operation: Operation, status: number): ResponseObject | undefined {
  const listed = operation.responses[status];
  if (listed) return resolved(listed);
  const other = resolved(operation.responses.default as ResponseObject);
  return other['x-error-codes']?.some((code) => ERRORS[code as ErrorCode].status === status) ? other : undefined;
}

function resolved(response: ResponseObject | { $ref: string }): ResponseObject {
  return '$ref' in response
    ? (document.components.responses[response.$ref.split('/').at(-1) as string] as ResponseObject)
    : response;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: 'document' });
const validators = new Map<string, ValidateFunction>();

/** Compiled once for each response of each operation. */
function validatorOf(operation: Operation, pointer: string, status: number): ValidateFunction {
  const response = operation.responses[status] ?? (operation.responses.default as ResponseObject | { $ref: string });
  const at = '$ref' in response ? response.$ref.slice(1) : `${pointer}/responses/${status}`;
  const ref = `document#${at}/content/application~1json/schema`;
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, validate);
  return validate;
}

function escaped(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function codeOf(body: unknown): string | undefined {
  return (body as { error?: { code?: string } } | null | undefined)?.error?.code;
}

function isJson(headers: Answered['headers']): boolean {
  return text(headers['content-type']).startsWith('application/json');
}

function text(value: string | string[] | number | undefined): string {
  return value === undefined ? '' : String(value);
}
