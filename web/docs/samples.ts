import type { OpenApiDocument } from '@quittance/contract/openapi';
import type { PlacedOperation } from './document.ts';
import { callOf, jsonOf, type SampleCall } from './sample-call.ts';
import { phpOf, pythonOf } from './client-samples.ts';
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
    { title: 'Python', language: 'python', code: pythonOf(call, operationId) },
    { title: 'PHP', language: 'php', code: phpOf(call, operationId) },
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

function literal(value: string): string {
  return value.includes('$') ? `\`${value.replace(/\$(\w+)/, '${process.env.$1}')}\`` : `'${value}'`;
}
