import type { OpenApiDocument, Parameter } from '@quittance/contract/openapi';
import { type PlacedOperation, resolve } from './document.ts';

/** A call that is shown in several languages. */
export interface SampleCall {
  method: string;
  /** The server's address with `/v1`. */
  base: string;
  url: string;
  /** The values of the path and of the query. */
  ids: string[];
  query: Record<string, string>;
  headers: [name: string, value: string][];
  body: unknown;
  isStream: boolean;
}

/** The call of an operation with the values of its examples. */
export function callOf({ method, path, operation }: PlacedOperation, document: OpenApiDocument): SampleCall {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((parameter) => parameter.name === name)?.example),
  );
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    String(parameters.find((parameter) => parameter.name === name)?.example),
  );
  const query = parameters.filter(
    (parameter) =>
      parameter.in === 'query' && (parameter.required || SHOWN[operation.operationId]?.includes(parameter.name)),
  );
  const fields = fieldsOf(operation.operationId, query);
  const security = operation.security ?? [];
  const credential = security.some((entry) => entry.secretKey) ? '$QUITTANCE_KEY' : '$QUITTANCE_LOGIN_TOKEN';
  // The full example shows what is possible; the smallest one is what a reader copies.
  const examples = operation.requestBody?.content['application/json']?.examples;
  const body = operation.requestBody?.required ? (examples?.least ?? examples?.whole)?.value : undefined;

  return {
    method,
    base: document.servers[0]?.url ?? '/v1',
    url: `${document.servers[0]?.url ?? '/v1'}${filled}${search(fields)}`,
    ids,
    query: fields,
    headers: [
      ...(security.length > 0 ? [['Authorization', `Bearer ${credential}`] as [string, string]] : []),
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
    ],
    body:
      operation.operationId === 'createCheckoutSession'
        ? { ...(body as object), currency: 'USD', order_id: 'order-1042' }
        : body,
    isStream: Object.values(operation.responses).some(
      (response) => 'content' in response && response.content?.['text/event-stream'] !== undefined,
    ),
  };
}

// Each is optional, but some are needed.
const SHOWN: Record<string, string[]> = { getRouteQuote: ['payout_wallet_id', 'amount'] };

function fieldsOf(operationId: string, shown: Parameter[]): Record<string, string> {
  return {
    ...Object.fromEntries(shown.map((parameter) => [parameter.name, String(parameter.example)])),
    ...(operationId === 'listTransfers' && { unattributed: 'true' }),
    ...(operationId === 'listPayments' && { status: 'paid' }),
  };
}

function search(fields: Record<string, string>): string {
  const query = new URLSearchParams(fields);
  return query.size > 0 ? `?${query}` : '';
}

export function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
