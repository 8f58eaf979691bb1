import { expect, test } from 'vitest';
import { constructEvent, generateTestHeader } from '../src/webhooks.ts';

const SECRET = 'whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1w';
const BODY = JSON.stringify({ id: 'evt_1', type: 'payment.paid', data: { order_id: 'Größe 10' } });
/** The bytes of the body within a larger buffer, as Node pools them. */
const POOLED = Buffer.concat([Buffer.from('before  '), Buffer.from(BODY), Buffer.from('after')]);
const WITHIN = { buffer: new Uint8Array(POOLED).buffer, offset: 8, length: Buffer.byteLength(BODY) };

test.each<[string, unknown]>([
  ['a text', BODY],
  ['a Buffer', Buffer.from(BODY)],
  ['an ArrayBuffer', new TextEncoder().encode(BODY).buffer],
  ['a part of a larger buffer', new Uint8Array(WITHIN.buffer, WITHIN.offset, WITHIN.length)],
  ['a DataView', new DataView(WITHIN.buffer, WITHIN.offset, WITHIN.length)],
])('the raw body is verified as %s', async (_, body) => {
  const header = await generateTestHeader(BODY, SECRET);
  expect(await constructEvent(body as string, header, SECRET)).toMatchObject({ id: 'evt_1' });
});
