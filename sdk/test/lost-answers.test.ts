import { expect, test } from 'vitest';
import { NotFoundError, Quittance } from '../src/index.ts';

const notFound = () =>
  Response.json({ error: { code: 'not_found', message: 'Not found.', param: 'id' } }, { status: 404 });

test('a deletion whose answer was lost succeeds, though its retry finds nothing', async () => {
  let calls = 0;
  const quittance = new Quittance('sk_test_0', {
    fetch: async () => {
      calls += 1;
      if (calls === 1) throw new TypeError('socket hang up');
      return notFound();
    },
  });
  await expect(quittance.webhookEndpoints.delete('we_1')).resolves.toMatchObject({ id: 'we_1', deleted: true });
  expect(calls).toBe(2);
});

test('a deletion of what does not exist throws NotFoundError, also after a 429', async () => {
  const answers = [notFound(), new Response('{}', { status: 429 }), notFound()];
  const quittance = new Quittance('sk_test_0', { fetch: async () => answers.shift() as Response });
  await expect(quittance.apiKeys.delete('key_1')).rejects.toThrow(NotFoundError);
  await expect(quittance.apiKeys.delete('key_1')).rejects.toThrow(NotFoundError);
});
