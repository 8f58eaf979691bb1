import type { OpenApiDocument, Parameter } from '@quittance/contract/openapi';
import type { PlacedOperation } from './placed-operation.ts';
import { resolve } from './resolve.ts';
import { sdkOf } from './sdk-sample.ts';

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

/** One sample of a call, in the language that a reader picks. */
export interface Sample {
  title: string;
  language: string;
  code: string;
}

/** The call in each language, the client first. A call that the client does not support is written with `fetch`. */
export function samplesOf(placed: PlacedOperation, document: OpenApiDocument): Sample[] {
  return samplesOfCall(callOf(placed, document), placed.operation.operationId);
}

export function samplesOfCall(call: SampleCall, operationId: string): Sample[] {
  const sdk = sdkOf(call, operationId);
  const isBare = operationId === 'getOpenApi';
  return [
    sdk === undefined
      ? { title: 'Node', language: 'js', code: nodeOf(call, isBare) }
      : { title: 'SDK', language: 'js', code: sdk },
    { title: 'curl', language: 'sh', code: curlOf(call) },
    { title: 'Python', language: 'python', code: pythonOf(call, isBare) },
  ];
}

/** The call for a shell. */
function curlOf({ method, url, headers, body, isStream }: SampleCall): string {
  const lines = [
    `curl${isStream ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} "${url}"`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${jsonOf(body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n  ');
}

/** The same for Node without packages. */
function nodeOf({ method, url, headers, body, isStream }: SampleCall, isBare: boolean): string {
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
  if (isBare) return `${call}\nconst document = await response.json();`;
  return `${call}\nconst answer = await response.json();\nif (!response.ok) throw new Error(answer.error.message);\nconsole.log(answer.data);`;
}

/** The same for Python with the `requests` package. */
function pythonOf({ method, url, headers, body, isStream }: SampleCall, isBare: boolean): string {
  const authorization = headers
    .find(([name]) => name === 'Authorization')?.[1]
    .replace(/\$(\w+)/, "{os.environ['$1']}");
  const call = [
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...(authorization ? [`    headers={"Authorization": f"${authorization}"},`] : []),
    ...(body === undefined ? [] : [`    json=${pythonLiteral(body).replaceAll('\n', '\n    ')},`]),
    ...(isStream ? ['    stream=True,'] : []),
    ')',
    'response.raise_for_status()',
    ...(isStream
      ? ['for line in response.iter_lines(decode_unicode=True):', '    print(line)']
      : [isBare ? 'document = response.json()' : 'print(response.json()["data"])']),
  ];
  return `import ${authorization ? 'os, ' : ''}requests\n\n${call.join('\n')}`;
}

function pythonLiteral(value: unknown): string {
  return jsonOf(value)
    .replaceAll(/: true\b/g, ': True')
    .replaceAll(/: false\b/g, ': False')
    .replaceAll(/: null\b/g, ': None');
}

export function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

function callOf({ method, path, operation }: PlacedOperation, document: OpenApiDocument): SampleCall {
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

function literal(value: string): string {
  return value.includes('$') ? `\`${value.replace(/\$(\w+)/, '${process.env.$1}')}\`` : `'${value}'`;
}
