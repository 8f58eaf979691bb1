import { jsonOf, type SampleCall } from './sample-call.ts';
import { isList } from './sdk-sample.ts';

/** The call with this repository's client in Python. A stream is read with Python alone. */
export function pythonOf(call: SampleCall, operationId: string): string {
  const { method, query, body, isStream } = call;
  const { variable, service, path } = partsOf(call);
  const credential = variable && `os.environ["${variable}"]`;
  if (isStream)
    return [
      `import ${variable ? 'os, ' : ''}urllib.request`,
      '',
      `request = urllib.request.Request("${call.url}")`,
      ...(variable ? [`request.add_header("Authorization", f"Bearer {os.environ['${variable}']}")`] : []),
      'with urllib.request.urlopen(request) as stream:',
      '    for line in stream:',
      '        print(line.decode(), end="")',
    ].join('\n');
  const named = Object.entries(query).map(([name, value]) => `${name}="${value}"`);
  const values = [`"${path}"`, ...named, ...(body === undefined ? [] : [python(body)])].join(', ');
  return [
    ...(credential ? ['import os'] : []),
    'from quittance import Quittance',
    '',
    `quittance = Quittance(${credential || 'None'}, base_url="${service}")`,
    '',
    ...(isList(operationId)
      ? [`for item in quittance.list(${values}):`, '    print(item["id"])']
      : [`result = quittance.${method.toLowerCase()}(${values})`, 'print(result)']),
  ].join('\n');
}

/** The call with this repository's client in PHP. A stream is read with PHP alone. */
export function phpOf(call: SampleCall, operationId: string): string {
  const { method, query, body, isStream } = call;
  const { variable, service, path } = partsOf(call);
  if (isStream)
    return [
      ...(variable
        ? [
            `$header = 'Authorization: Bearer ' . getenv('${variable}');`,
            `$stream = fopen('${call.url}', 'r', false, stream_context_create(['http' => ['header' => $header]]));`,
          ]
        : [`$stream = fopen('${call.url}', 'r');`]),
      'while (($line = fgets($stream)) !== false) {',
      '    echo $line;',
      '}',
    ].join('\n');
  const rest = Object.keys(query).length > 0 ? query : body;
  const values = [`'${path}'`, ...(rest === undefined ? [] : [php(rest)])].join(', ');
  return [
    "require 'quittance-php/autoload.php';",
    '',
    `$quittance = new Quittance\\Quittance(${variable ? `getenv('${variable}')` : 'null'}, '${service}');`,
    '',
    ...(isList(operationId)
      ? [`foreach ($quittance->list(${values}) as $item) {`, "    echo $item['id'], PHP_EOL;", '}']
      : [`$result = $quittance->${method.toLowerCase()}(${values});`, 'print_r($result);']),
  ].join('\n');
}

function partsOf({ base, url, headers }: SampleCall) {
  const authorization = headers.find(([name]) => name === 'Authorization')?.[1] ?? '';
  return {
    variable: /\$(\w+)/.exec(authorization)?.[1],
    service: base.replace(/\/v1$/, ''),
    path: `/v1${url.slice(base.length).replace(/\?.*$/, '')}`,
  };
}

function python(value: unknown): string {
  return jsonOf(value)
    .replaceAll(/: true\b/g, ': True')
    .replaceAll(/: false\b/g, ': False')
    .replaceAll(/: null\b/g, ': None');
}

function php(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, '\\$&')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => php(item, inner))
    : Object.entries(value).map(([key, item]) => `'${key}' => ${php(item, inner)}`);
  return items.length === 0 ? '[]' : `[\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}]`;
}
