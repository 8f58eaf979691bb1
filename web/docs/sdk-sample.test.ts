import { openApiDocument } from '@quittance/contract/openapi';
import { Quittance } from '../../sdk/src/index.ts';
import { expect, test } from 'vitest';
import { samplesOf } from './samples.ts';

const document = openApiDocument({ publicUrl: 'https://pay.example.com' });
const withClient = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => {
    const placed = { method: method.toUpperCase(), path, operation };
    const [first] = samplesOf(placed, document);
    return first?.title === 'SDK' ? [{ ...placed, code: first.code, name: operation.operationId }] : [];
  }),
);

test('most operations have a sample with the client', () => {
  expect(withClient.length).toBeGreaterThan(45);
});

test.each(withClient)('the sample of $name sends the request that it documents', async ({ method, path, code }) => {
  const sent: { method: string; path: string }[] = [];
  const quittance = new Quittance('sk_test_1', {
    baseUrl: 'https://pay.example.com',
    fetch: (async (url: string | URL, init: RequestInit) => {
      sent.push({ method: init.method ?? 'GET', path: new URL(url).pathname });
      return Response.json({ data: [], pagination: { cursor: null, has_more: false }, request_id: 'req_1' });
    }) as typeof fetch,
  });
  const body = code.slice(code.indexOf('});\n') + 4);
  await new (Object.getPrototypeOf(async () => {}).constructor)('quittance', 'console', body)(quittance, { log() {} });

  expect(sent).toHaveLength(1);
  expect(sent[0]?.method).toBe(method);
  expect(sent[0]?.path).toMatch(new RegExp(`^/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
});
