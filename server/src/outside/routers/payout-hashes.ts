const HASH = /^[0-9A-Za-z]{32,100}$/;
/** A payout is one transaction, or a few. Further hashes are ignored. */
const MAX_HASHES = 10;

/** Transaction hashes from a provider in the form in which chains are read: hex in lowercase, without duplicates. */
export function payoutHashes(named: readonly unknown[]): string[] {
  const hashes = named.filter((hash): hash is string => typeof hash === 'string' && HASH.test(hash));
  return [...new Set(hashes.map((hash) => (/^0x/i.test(hash) ? hash.toLowerCase() : hash)))].slice(0, MAX_HASHES);
}
