import { Buffer } from 'node:buffer';
import type { Jwks } from '../../../sdk/src/jwks.ts';
import { verifyReceipt } from '../../../sdk/src/receipts.ts';
import type { TestApp } from './app.ts';
import type { Merchant } from './merchant.ts';

/** The address of a merchant's first wallet. */
const TEST_PAYEE = '0x52908400098527886E0F7030069857D2E4169EE7';

/** The public keys of the account and mode of a receipt, as a stored copy would contain them. */
export async function keysOfReceipt(app: Pick<TestApp, 'config' | 'inject'>, jws: string): Promise<Jwks> {
  const { jwks_url } = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as { jwks_url: string };
  return JSON.parse((await app.inject('GET', jwks_url.replace(app.config.publicUrl, ''))).raw) as Jwks;
}

/** The path of the key set of an account's test mode. */
export function keysOf({ accountId }: Merchant): string {
  return `/.well-known/jwks/${accountId}/test.json`;
}

/** The key set of an account's test mode, as a stored copy would contain it. */
export async function testKeysOf({ inject }: Pick<TestApp, 'inject'>, merchant: Merchant): Promise<Jwks> {
  return JSON.parse((await inject('GET', keysOf(merchant))).raw) as Jwks;
}

/** Verifies a receipt of an account's test mode as its customer does. */
export async function verifyTestReceipt(app: Pick<TestApp, 'config' | 'inject'>, merchant: Merchant, jws: string) {
  const jwks = await testKeysOf(app, merchant);
  return verifyReceipt(jws, { jwks, payee: TEST_PAYEE, issuer: app.config.publicUrl, allowTestMode: true });
}
