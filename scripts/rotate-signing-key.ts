import { rotateSigningKey } from '../server/src/platform/signing/signing-keys.ts';
import { beside } from './beside.ts';

// `npm run rotate-signing-key`: receipts and webhooks are signed by a new key from now on. Old public keys stay listed at
// `/.well-known/jwks.json`, so everything that they signed stays valid.
await beside(async ({ ctx }) => {
  console.log(`The signing key is now ${await rotateSigningKey(ctx)}.`);
});
