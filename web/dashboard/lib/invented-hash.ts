/** In test mode there is no transaction whose hash could be named. */
export function inventedHash(network: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  if (network === 'solana') return Array.from(bytes, (byte) => `${(byte % 9) + 1}${(byte % 7) + 1}`).join('');
  return `${network === 'tron' ? '' : '0x'}${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
