import type { OpenApiDocument } from '@quittance/contract/openapi';
import type { PlacedOperation } from './document.ts';
import { callOf, jsonOf, type SampleCall } from './sample-call.ts';
import { sdkOf } from './sdk-sample.ts';

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
    return (
      `${call}\nif (!response.ok) throw new Error((await response.json()).error.message);\nfor await ` +
      `(const text of response.body.pipeThrough(new TextDecoderStream())) {\n  console.log(text);\n}`
    );
  if (isBare) return `${call}\nconst document = await response.json();`;
  return (
    `${call}\nconst answer = await response.json();\nif (!response.ok) throw new ` +
    `Error(answer.error.message);\nconsole.log(answer.data);`
  );
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

function literal(value: string): string {
  return value.includes('$') ? `\`${value.replace(/\$(\w+)/, '${process.env.$1}')}\`` : `'${value}'`;
}
