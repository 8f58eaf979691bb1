import { describe, expect, test } from 'vitest';
import { readEmailAddress } from './email-address.ts';

describe('an email address is read as it is compared', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada.Lovelace@Example.COM', 'ada.lovelace@example.com'],
    ['ada+shop@mail.example.co.uk', 'ada+shop@mail.example.co.uk'],
    ["o'brien_#1@example.io", "o'brien_#1@example.io"],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%s', (text, read) => expect(readEmailAddress(text)).toBe(read));
});

describe('an address that mail cannot be sent to is rejected', () => {
  test.each([
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@localhost',
    'ada@@example.com',
    'ada@example.com/x',
    'ada@example.com?x',
    'ada@example.com#x',
    'ada@example.com:25',
    'ada@example.com\\x',
    'ada@exa%6dple.com',
    'ada@0x7f.1',
    'ada@exa mple.com',
    ' ada@example.com',
    'ada@example.com ',
    'ada@example.com\n',
    'ada\r\nBcc: eve@example.com@example.com',
    '"ada"@example.com',
    'ada@[127.0.0.1]',
    'ada@127.0.0.1',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@.example.com',
    'ada@example..com',
    'ada@example.com.',
    'äda@example.com',
    'ada@exa_mple.com',
    'Ada <ada@example.com>',
    'ada@example.com,eve@example.com',
    'ada\u0000@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'abcdefgh.'.repeat(30)}com`,
  ])('%j', (text) => expect(readEmailAddress(text)).toBeUndefined());
});
