import type { OpenApiDocument, Parameter } from '@quittance/contract/openapi';
import type { Placed } from './placed.ts';
import { resolve } from './resolve.ts';

interface Call {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: unknown;
  isStream: boolean;
}

/** The call for a shell. */
export function curlOf(placed: Placed, document: OpenApiDocument): string {
  const { method, url, headers, body, isStream } = callOf(placed, document);
  const lines = [
    `curl${isStream ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} "${url}"`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${jsonOf(body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n  ');
}

/** The same for Node, with nothing but what it brings. */
export function nodeOf(placed: Placed, document: OpenApiDocument): string {
  const { method, url, headers, body, isStream } = callOf(placed, document);
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0
      ? []
      : ['  headers: {', ...headers.map(([name, value]) => `    '${name}': ${literal(value)},`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${jsonOf(body).replaceAll('\n', '\n  ')}),`]),
  ];
  const call =
    options.length === 0
      ? `const response = await fetch('${url}');`
      : `const response = await fetch('${url}', {\n${options.join('\n')}\n});`;
  if (isStream)
    return `${call}\nif (!response.ok) throw new Error((await response.json()).error.message);\nfor await (const text of response.body.pipeThrough(new TextDecoderStream())) {\n  console.log(text);\n}`;
  if (placed.operation.operationId === 'getOpenApi') return `${call}\nconst document = await response.json();`;
  return `${call}\nconst answer = await response.json();\nif (!response.ok) throw new Error(answer.error.message);\nconsole.log(answer.data);`;
}

export function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

function callOf({ method, path, operation }: Placed, document: OpenApiDocument): Call {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((parameter) => parameter.name === name)?.example),
  );
  const query = parameters.filter(
    (parameter) =>
      parameter.in === 'query' && (parameter.required || SHOWN[operation.operationId]?.includes(parameter.name)),
  );
  const security = operation.security ?? [];
  const credential = security.some((entry) => entry.secretKey) ? '$QUITTANCE_KEY' : '$QUITTANCE_LOGIN_TOKEN';
  // The example with everything shows what there is; the least that does is what a reader copies.
  const examples = operation.requestBody?.content['application/json']?.examples;
  const body = operation.requestBody?.required ? (examples?.least ?? examples?.whole)?.value : undefined;

  return {
    method,
    url: `${document.servers[0]?.url ?? '/v1'}${filled}${search(operation.operationId, query)}`,
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

// Optional one by one, but some of them must be there.
const SHOWN: Record<string, string[]> = { getRouteQuote: ['payout_wallet_id', 'amount'] };

function search(operationId: string, required: Parameter[]): string {
  const fields = new URLSearchParams(
    Object.fromEntries(required.map((parameter) => [parameter.name, String(parameter.example)])),
  );
  if (operationId === 'listTransfers') fields.set('unattributed', 'true');
  if (operationId === 'listPayments') fields.set('status', 'paid');
  return fields.size > 0 ? `?${fields}` : '';
}

function literal(value: string): string {
  return value.includes('$') ? `\`${value.replace(/\$(\w+)/, '${process.env.$1}')}\`` : `'${value}'`;
}
