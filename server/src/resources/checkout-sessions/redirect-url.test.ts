import { expect, test } from 'vitest';
import { fillIn, readRedirectUrl } from './redirect-url.ts';

const read = (text: string) => readRedirectUrl(text, 'success_url', 'invalid_checkout_session');

test.each([
  'https://shop.example.com',
  'https://shop.example.com:8443/thanks?session={CHECKOUT_SESSION_ID}&x=1#top',
  'HTTPS://SHOP.example.com/',
  'https://{CHECKOUT_SESSION_ID}.example.com/',
  'https://bücher.example/danke',
  'http://localhost:3000/thanks',
  'http://shop.localhost/',
  'http://127.0.0.1:8080/',
  'http://[::1]:8080/',
])('%s is echoed as it was sent', (text) => {
  expect(read(text)).toBe(text);
});

test.each([
  '',
  ' ',
  'shop.example.com',
  '/thanks',
  '//shop.example.com/thanks',
  'https:',
  'https://',
  'https:///thanks',
  'https:shop.example.com',
  'ftp://shop.example.com',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://shop.example.com/',
  'http://localhost.example.com/',
  'http://10.0.0.1/',
  'https://user@shop.example.com/',
  'https://user:secret@shop.example.com/',
  ' https://shop.example.com/',
  'https://shop.example.com/\n',
  'https://shop.example.com/a b',
  'https:\\\\shop.example.com\\',
  'https://shop.example.com:99999/',
  'https://[::1',
  'https://\u0007.example.com',
])('%j is refused by name', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid_checkout_session', param: 'success_url' }));
});

test('a redirect URL that was left out is null', () => {
  expect(readRedirectUrl(undefined, 'cancel_url', 'invalid_payment_link')).toBe(null);
});

test('the placeholder is filled in at every place', () => {
  expect(fillIn('https://x.example/{CHECKOUT_SESSION_ID}?s={CHECKOUT_SESSION_ID}', 'cs_1')).toBe(
    'https://x.example/cs_1?s=cs_1',
  );
});
