const KEY = 'browser-name';
const made = newName();

/** What nothing else is called. */
export function newName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
}

/**
 * What this browser is called where several share something. Its tabs know from its storage what each of them has. Without
 * storage, each page has a name of its own.
 */
export function browserName(): string {
  try {
    if (localStorage.getItem(KEY) === null) localStorage.setItem(KEY, made);
  } catch {
    return made;
  }
  return localStorage.getItem(KEY) ?? made;
}

/** In test mode there is no transaction whose hash could be named. */
export function inventedHash(network: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  // Any 87 digits of base58 that begin with a 4 are the 64 bytes of a signature.
  if (network === 'solana')
    return `4${[...crypto.getRandomValues(new Uint8Array(86))].map((byte) => (byte % 9) + 1).join('')}`;
  return `${network === 'tron' ? '' : '0x'}${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
