import type { Logger } from 'pino';
import { cached } from '../../platform/cached.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { solanaBytes } from '../chains/solana-key.ts';
import { exchangeJson, getJson } from '../http/json.ts';
import type { Facilitator, SettleReport, SupportedKind } from './facilitator.ts';
import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Config } from '../../config.ts';

const X402_VERSION = 2;
const KINDS_TTL_MS = 5 * MINUTE_MS;
const KINDS_RETRY_MS = 10 * SECOND_MS;
const KINDS_TIMEOUT_MS = 5 * SECOND_MS;
const SETTLE_TIMEOUT_MS = 30 * SECOND_MS;
const MAX_KINDS = 200;
const MAX_REASON_LENGTH = 120;
/** Hex for EVM networks, or a Solana signature in base58. */
const TX_HASH = /^(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$/;

/** A facilitator of x402 version 2, from the operator's settings. */
export function createFacilitator({ url, token }: { url: string; token: string | null }, log: Logger): Facilitator {
  const name = new URL(url).host;
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const known = cached<{ kinds: readonly SupportedKind[]; isListed: boolean }>({
    ttlMs: ({ isListed }) => (isListed ? KINDS_TTL_MS : KINDS_RETRY_MS),
    max: 1,
  });

  return {
    name,
    async kinds() {
      const { kinds } = await known.get('', async (last) => {
        try {
          const body = await getJson(`${url}/supported`, { headers, timeoutMs: KINDS_TIMEOUT_MS });
          return { kinds: readKinds(body), isListed: true };
        } catch (error) {
          log.warn({ err: error, facilitator: name }, 'facilitator did not list its supported kinds');
          return { kinds: last?.kinds ?? [], isListed: false };
        }
      });
      return kinds;
    },
    async settle(paymentPayload, paymentRequirements) {
      try {
        const { status, body } = await exchangeJson(`${url}/settle`, {
          method: 'POST',
          headers,
          body: { x402Version: X402_VERSION, paymentPayload, paymentRequirements },
          timeoutMs: SETTLE_TIMEOUT_MS,
        });
        return readReport(status, body);
      } catch (error) {
        if (!(error instanceof TemporaryError)) throw error;
        return { type: 'unknown', reason: 'no_answer' };
      }
    },
  };
}

function readKinds(body: unknown): SupportedKind[] {
  const { kinds } = (body ?? {}) as { kinds?: unknown };
  if (!Array.isArray(kinds)) throw new TemporaryError('the list of supported kinds is missing');
  return kinds.slice(0, MAX_KINDS).flatMap((kind: Record<string, unknown> | null) => {
    if (kind?.x402Version !== X402_VERSION || typeof kind.scheme !== 'string' || typeof kind.network !== 'string')
      return [];
    const { feePayer } = (kind.extra ?? {}) as { feePayer?: unknown };
    const isKey = typeof feePayer === 'string' && solanaBytes(feePayer) !== undefined;
    return [{ scheme: kind.scheme, network: kind.network, feePayer: isKey ? feePayer : null }];
  });
}

function readReport(status: number, body: unknown): SettleReport {
  const { success, transaction, errorReason } = (body ?? {}) as Record<string, unknown>;
  if (status >= 500 || status === 408 || status === 429) return { type: 'unknown', reason: `http_${status}` };
  if (success === true)
    return { type: 'sent', txHash: typeof transaction === 'string' && TX_HASH.test(transaction) ? transaction : null };
  const reason = typeof errorReason === 'string' ? errorReason.replaceAll(/[^\w.-]/g, '_') : `http_${status}`;
  return { type: 'refused', reason: reason.slice(0, MAX_REASON_LENGTH) };
}

/** The configured facilitators, by network. */
export function createFacilitators(settings: Config['facilitators'], log: Logger): Map<ReceiveNetwork, Facilitator> {
  const facilitators = new Map<ReceiveNetwork, Facilitator>();
  for (const network of RECEIVE_NETWORKS) {
    const named = settings[network];
    if (named) facilitators.set(network, createFacilitator(named, log));
  }
  return facilitators;
}
