import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { invariant } from './errors.ts';

/** The uses of the master key: secrets that must be read again are sealed, those that are only compared are hashed. */
export interface Secrets {
  /**
   * AES-256-GCM, bound to its place (`webhook_endpoints.secret:we_…`), so that a sealed value is invalid in another
   * row.
   */
  seal(plain: string | Uint8Array, place: string): Buffer;
  open(sealed: Uint8Array, place: string): Buffer;
  /** A keyed hash for short secrets, which a plain hash would not hide. */
  keyedHash(text: string, purpose: string): Buffer;
}

/** Secrets under one master key of 32 bytes. */
export function createSecrets(masterKey: Uint8Array): Secrets {
  invariant(masterKey.length === 32, 'the master key has 32 bytes');
  // As key objects, because node:crypto converts a buffer for every use.
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(), `quittance ${purpose}`, 32)));
  const sealKey = derive('seal');
  // By purpose, of which there are few: deriving a key costs several times as much as hashing with it.
  const hashKeys = new Map<string, KeyObject>();
  const hashKey = (purpose: string) => {
    const key = hashKeys.get(purpose) ?? derive(purpose);
    hashKeys.set(purpose, key);
    return key;
  };

  return {
    seal(plain, place) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv);
      cipher.setAAD(Buffer.from(place));
      // The first byte names the format, so that a later key can exist beside this one.
      return Buffer.concat([
        Buffer.from([1]),
        iv,
        cipher.update(plain as Uint8Array),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
    },
    open(sealed, place) {
      invariant(sealed[0] === 1, 'a known format of sealed secrets');
      const decipher = createDecipheriv('aes-256-gcm', sealKey, sealed.subarray(1, 13));
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(sealed.subarray(-16));
      return Buffer.concat([decipher.update(sealed.subarray(13, -16)), decipher.final()]);
    },
    keyedHash(text, purpose) {
      return createHmac('sha256', hashKey(purpose)).update(text).digest();
    },
  };
}

/** SHA-256, for long random secrets. */
export function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer');
}
