import type { Service } from './service.ts';

/** Calls the service as its merchant and returns the response's bytes and data. */
export async function call<Data>(service: Service, method: 'GET' | 'POST', path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.key}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  const parsed = JSON.parse(text) as { data: Data; pagination?: { cursor: string | null } };
  return { ...parsed, text, headers: Object.fromEntries(response.headers) };
}
