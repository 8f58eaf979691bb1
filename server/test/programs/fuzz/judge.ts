import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Answered, deviations } from '../../support/conformance.ts';
import type { FuzzedOperation } from './requests.ts';

/** A request as it was sent. */
export interface Sent {
  operation: FuzzedOperation;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** Whether its path names an object of another account. */
  isStrangers: boolean;
  done: string[];
}

/** Everything that is wrong with a response, one sentence each. */
export function judge(sent: Sent, answer: Answered): string[] {
  const [path = ''] = sent.path.split('?', 1);
  const wrong = deviations(sent.method, path, answer);
  const { status } = answer;
  if (status >= 500 && status !== 503) wrong.push(`a ${status}`);
  if (status < 300 && sent.isStrangers && sent.method !== 'OPTIONS')
    wrong.push("another account's object was answered");
  if (status < 300 && isUnchanged(sent) && refuses(sent)) wrong.push('a body was taken that the document refuses');
  return wrong;
}

function isUnchanged({ method, operation }: Sent): boolean {
  return method === operation.method && operation.body !== undefined;
}

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const checks = new Map<string, ValidateFunction>();

function refuses({ operation, body }: Sent): boolean {
  if (!body || body.length === 0) return operation.bodyRequired;
  const check = checks.get(operation.operationId) ?? ajv.compile(operation.body as object);
  checks.set(operation.operationId, check);
  try {
    // The service drops a byte order mark.
    return !check(JSON.parse(body.toString().replace(/^\uFEFF/, '')));
  } catch {
    return true;
  }
}
