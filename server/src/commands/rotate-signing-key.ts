import { parseArgs } from 'node:util';
import { rotateSigningKey } from '../platform/signing/signing-keys.ts';
import { withApp } from './with-app.ts';

/**
 * `quittance-server rotate-signing-key`: a new key signs receipts and webhooks from now on. Old public keys stay listed
 * at `/.well-known/jwks.json`, so everything that they signed stays valid.
 */
export async function run(args: string[]): Promise<void> {
  parseArgs({ args, options: {} });
  await withApp(async ({ ctx }) => {
    console.log(`The signing key is now ${await rotateSigningKey(ctx)}.`);
  });
}
