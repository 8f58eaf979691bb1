import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { MCP: 'on' } });
});
afterAll(() => app?.stop());

test('the answers of an account are made two at a time, and their bytes count as long answers', async () => {
  const { merchant } = app;
  await merchant.createSession({ metadata: { note: '<'.repeat(400) } });
  const gate = Promise.withResolvers<void>();
  const inner = vi.spyOn(app.ctx.pace, 'inTurn').mockImplementation((_, work) => gate.promise.then(work));
  const spent = vi.spyOn(app.ctx.pace, 'spend');
  onTestFinished(() => void vi.restoreAllMocks());
  const search = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_payments', arguments: {} },
  };
  const answers = Array.from({ length: 6 }, () =>
    app.inject('POST', '/mcp', { body: search, token: merchant.testKey }),
  );
  await expect.poll(() => inner.mock.calls.length).toBe(2);
  // While the two wait for their page, the others wait for them.
  await merchant.get('/account');
  expect(inner).toHaveBeenCalledTimes(2);
  gate.resolve();
  for (const { status, raw } of await Promise.all(answers)) {
    expect(status).toBe(200);
    expect(spent).toHaveBeenCalledWith(merchant.accountId, Buffer.byteLength(raw));
  }
});
