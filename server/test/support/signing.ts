export { rotateSigningKey } from '../../src/platform/signing/signing-keys.ts';
