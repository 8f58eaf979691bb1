import { crc32 } from 'node:zlib';
import { BASE62, randomBase62 } from '../../ids.ts';

/** A new secret key: its prefix, 30 random base62 characters, and a checksum of six. */
export function newSecretKey(livemode: boolean): string {
  const body = `${livemode ? 'sk_live_' : 'sk_test_'}${randomBase62(30)}`;
  return body + checksumOf(body);
}

/** A new login token: 43 base62 characters, 256 bits. */
export function newLoginToken(): string {
  return `ses_${randomBase62(43)}`;
}

const SECRET_KEY = /^sk_(?:live|test)_[0-9A-Za-z]{36}$/;
const LOGIN_TOKEN = /^ses_[0-9A-Za-z]{43}$/;

/** Whether the text can be a secret key of this service. Rejects typos and guesses without the database. */
export function hasValidChecksum(text: string): boolean {
  return SECRET_KEY.test(text) && checksumOf(text.slice(0, -6)) === text.slice(-6);
}

/** Whether the text has the form of a login token. */
export function isLoginToken(text: string): boolean {
  return LOGIN_TOKEN.test(text);
}

/** CRC-32 as six base62 characters, the most significant first. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
