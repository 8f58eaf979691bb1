import { allowsScope, type Endpoint, endpoints, SCOPE_NAMES, type Scope } from '@quittance/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let owner: Merchant;
/** A key for each scope, by its name, and one for all of them together. */
const secrets = new Map<string, string>();
beforeAll(async () => {
  app = await startApp();
  owner = app.merchant.dashboard;
  for (const scope of SCOPE_NAMES) secrets.set(scope, await createKey([scope]));
  secrets.set('all', await createKey([...SCOPE_NAMES]));
});
afterAll(() => app.stop());

const all: Endpoint[] = Object.values(endpoints);

test('every endpoint that takes a key declares the scope that a limited key needs', () => {
  const missing = all.filter(({ auth, scope }) => auth === 'credential' && scope === undefined);
  expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  const used = new Set(all.map(({ scope }) => scope));
  expect(SCOPE_NAMES.filter((scope) => !used.has(scope))).toEqual([]);
});

describe.each(SCOPE_NAMES)('a key with only the scope %s', (scope) => {
  test.each(all.filter(({ auth }) => auth !== 'none').map((endpoint) => [endpoint.operationId, endpoint] as const))(
    'may call %s only if that is its scope',
    async (_name, endpoint) => {
      const answer = await ask(endpoint, secrets.get(scope) as string);
      const isAllowed = endpoint.auth === 'credential' && (endpoint.scope === scope || endpoint.scope === 'any');
      if (isAllowed) {
        // The remaining errors are about the request, whose ids and bodies are examples.
        expect(answer.status).not.toBe(401);
        expect(answer.status).not.toBe(403);
        return;
      }
      expect(answer.status).toBe(403);
      expect(answer.body.error.code).toBe('forbidden');
      if (endpoint.auth === 'credential') expect(answer.body.error.message).toContain(`\`${endpoint.scope}\``);
    },
  );
});

test('a key with every scope may call what each of them may, and still nothing that needs a login', async () => {
  const token = secrets.get('all') as string;
  for (const endpoint of all.filter(({ auth }) => auth === 'credential'))
    expect((await ask(endpoint, token)).status, endpoint.operationId).not.toBe(403);
  for (const endpoint of all.filter(({ auth }) => auth === 'login'))
    expect((await ask(endpoint, token)).status, endpoint.operationId).toBe(403);
});

test('a key without a list of scopes may do what it always could, and shows no list', async () => {
  const answer = await app.inject('POST', '/v1/api-keys', { token: owner.loginToken, body: { mode: 'test' } });
  expect(answer.body.data).not.toHaveProperty('scopes');
  for (const endpoint of all.filter(({ auth }) => auth === 'credential'))
    expect((await ask(endpoint, answer.body.data.secret)).status, endpoint.operationId).not.toBe(403);
});

describe('the scopes of a key', () => {
  test('are shown with it, without duplicates', async () => {
    const answer = await app.inject('POST', '/v1/api-keys', {
      token: owner.loginToken,
      body: { mode: 'test', scopes: ['payments:read', 'sessions:write', 'payments:read'] },
    });
    expect(answer.body.data.scopes).toEqual(['payments:read', 'sessions:write']);
    const { data } = await owner.get('/api-keys', { limit: 1 });
    expect(data[0].scopes).toEqual(['payments:read', 'sessions:write']);
    const current = await app.inject('GET', '/v1/api-keys/current', { token: answer.body.data.secret });
    expect(current.body.data).toMatchObject({ id: answer.body.data.id, scopes: ['payments:read', 'sessions:write'] });
  });

  test('stay when its secret is replaced', async () => {
    const { id } = (
      await app.inject('POST', '/v1/api-keys', {
        token: owner.loginToken,
        body: { mode: 'test', scopes: ['payments:read'] },
      })
    ).body.data;
    const { secret, scopes } = await owner.post(`/api-keys/${id}/rotate`);
    expect(scopes).toEqual(['payments:read']);
    expect((await app.inject('GET', '/v1/payments', { token: secret })).status).toBe(200);
    expect((await app.inject('GET', '/v1/transfers', { token: secret })).status).toBe(403);
  });

  test.each([[[]], [['payments:write', 'everything']], ['payments:read'], [[null]], [{ 0: 'payments:read' }]])(
    'cannot be %j',
    async (scopes) => {
      await expect(owner.post('/api-keys', { mode: 'test', scopes })).rejects.toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
    },
  );
});

test('a login has no current key', async () => {
  await expect(owner.get('/api-keys/current')).rejects.toMatchObject({ status: 403 });
});

test('an unknown scope allows nothing, and an endpoint without a scope rejects limited keys', () => {
  expect(allowsScope(['everything'], 'payments:read')).toBe(false);
  expect(allowsScope(['payments:read'], undefined)).toBe(false);
  expect(allowsScope(null, undefined)).toBe(true);
});

async function createKey(scopes: Scope[]): Promise<string> {
  const answer = await app.inject('POST', '/v1/api-keys', { token: owner.loginToken, body: { mode: 'test', scopes } });
  expect(answer.status).toBe(201);
  return answer.body.data.secret;
}

/** With unknown ids. The stream request is invalid, so that it ends. */
function ask({ method, path }: Endpoint, token: string) {
  return app.inject(method, path.replaceAll(/\{\w+\}/g, 'nothing'), {
    token,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: { unknown: true } }),
    ...(path.endsWith('/stream') && { query: { unreadable: '\u0000' } }),
  });
}
