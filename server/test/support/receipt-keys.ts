import { Buffer } from 'node:buffer';
import type { Jwks } from '../../../sdk/src/jwks.ts';
import type { TestApp } from './app.ts';

/** The public keys of the account and mode of a receipt, as a stored copy would contain them. */
export async function keysOfReceipt(app: Pick<TestApp, 'config' | 'inject'>, jws: string): Promise<Jwks> {
  const { jwks_url } = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as { jwks_url: string };
  return JSON.parse((await app.inject('GET', jwks_url.replace(app.config.publicUrl, ''))).raw) as Jwks;
}
