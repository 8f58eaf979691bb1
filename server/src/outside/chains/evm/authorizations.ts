import type { Log } from './shapes.ts';
import { isTransfer } from './logs.ts';

/** keccak256("AuthorizationUsed(address,bytes32)") */
const AUTHORIZATION_USED_TOPIC = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';

/**
 * The nonces of signed authorizations (EIP-3009), by the transfer log that each one caused. The token logs
 * `AuthorizationUsed` and then the transfer. The payer signed the nonce, so it proves the payer's intent.
 */
export function authorizedNonces(logs: readonly Log[]): Map<Log, Uint8Array> {
  const used = new Map<string, { payer: string; nonce: Uint8Array }>();
  const nonces = new Map<Log, Uint8Array>();
  for (const log of logs) {
    const [topic, payer, nonce] = log.topics;
    if (topic === AUTHORIZATION_USED_TOPIC && log.topics.length === 3 && payer && nonce) {
      used.set(log.address, { payer: payer.slice(26), nonce: Buffer.from(nonce.slice(2), 'hex') });
      continue;
    }
    if (!isTransfer(log)) continue;
    const authorization = used.get(log.address);
    used.delete(log.address);
    if (authorization && log.topics[1]?.slice(26) === authorization.payer) nonces.set(log, authorization.nonce);
  }
  return nonces;
}
