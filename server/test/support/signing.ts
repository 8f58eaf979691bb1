export { rotateSigningKeys } from '../../src/platform/signing/signing-keys.ts';
