import { expect } from 'vitest';
import type { TestAnswer } from './app.ts';

/** What is true of every answer there is. Called for each request that a test sends. */
export function checkConformance(request: { method: string; path: string }, answer: TestAnswer): void {
  const what = `${request.method} ${request.path} → ${answer.status}`;
  expect(answer.headers['request-id'], `${what} names its request`).toMatch(/^req_/);
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    expect(String(answer.headers[name]), `${what} has ${name}`).toMatch(/^[0-9]+$/);
  }
  if (answer.status < 400 || typeof answer.body !== 'object') return;
  expect(answer.body, `${what} has the error envelope`).toMatchObject({
    error: { code: expect.any(String), message: expect.any(String) }, request_id: answer.headers['request-id'],
  });
}
