import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a long list is compressed for clients that accept it, and a short one and single objects are not', async () => {
  const merchant = await app.newMerchant();
  const look = async (url: string, encoding?: string) => {
    const answer = await app.server.inject({
      url,
      headers: { authorization: `Bearer ${merchant.testKey}`, ...(encoding && { 'accept-encoding': encoding }) },
    });
    expect(answer.statusCode).toBe(200);
    return answer;
  };
  expect((await look('/v1/payment-links', 'gzip')).headers['content-encoding']).toBeUndefined();
  for (let made = 0; made < 6; made += 1) await merchant.createLink();

  const plain = await look('/v1/payment-links');
  const packed = await look('/v1/payment-links', 'br, gzip');
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
  expect(JSON.parse(gunzipSync(packed.rawPayload).toString()).data).toEqual(plain.json().data);
  expect((await look('/v1/payment-links', 'gzip;q=0')).headers['content-encoding']).toBeUndefined();
  expect((await look('/v1/account', 'gzip')).headers['content-encoding']).toBeUndefined();
});
