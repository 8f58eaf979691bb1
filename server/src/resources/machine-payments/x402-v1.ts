// x402 version 1, which most published clients still speak: the same offer in other words. No I/O.
import { cutText } from '@quittance/contract/readable-text';
import { decodeJson, encodeJson, isObject } from './json.ts';
import type { Offer } from './offer.ts';
import {
  MAX_TEXT_LENGTH,
  type PaymentRequirements,
  requirementsOf,
  type SettleResponse,
  type X402Credential,
} from './x402.ts';

const VERSION = 1;

/**
 * Version 1 names networks instead of numbering them, and knows these. Its clients on Solana write no memo, which would
 * name the payment, so there is no offer for them.
 */
const NAMES: Record<string, string> = {
  'eip155:8453': 'base',
  'eip155:84532': 'base-sepolia',
  'eip155:137': 'polygon',
  'eip155:80002': 'polygon-amoy',
};

/** The fields of version 1 in the body of a 402; undefined if version 1 cannot pay the offer. */
export function requiredBody(requirements: PaymentRequirements, offer: Offer, error: string) {
  const network = nameOf(requirements, offer);
  if (network === undefined) return undefined;
  const { scheme, amount, asset, payTo, maxTimeoutSeconds, extra } = requirements;
  return {
    x402Version: VERSION,
    error,
    accepts: [
      {
        scheme,
        network,
        maxAmountRequired: amount,
        resource: offer.resourceUrl,
        description: cutText(offer.description ?? '', MAX_TEXT_LENGTH),
        mimeType: 'application/json',
        payTo,
        maxTimeoutSeconds,
        asset,
        extra: { name: extra.name, version: extra.version },
      },
    ],
  };
}

/** Reads `X-PAYMENT`; undefined if it is malformed or of another version. It does not repeat what it accepted. */
export function readPayload(header: string): X402Credential | undefined {
  const value = decodeJson(header.trim(), 'base64');
  if (value?.x402Version !== VERSION || !isObject(value.payload)) return undefined;
  const { scheme, network, payload } = value;
  return { version: VERSION, accepted: { scheme, network }, payload };
}

/** Whether the program means the current offer. Its signature covers the rest: token, payee, amount and time. */
export function isOffered({ accepted }: X402Credential, offer: Offer): boolean {
  const requirements = requirementsOf(offer);
  const network = requirements && nameOf(requirements, offer);
  return network !== undefined && accepted.scheme === requirements?.scheme && accepted.network === network;
}

/** Undefined if version 1 cannot pay: its payments name the checkout by the amount, which must be reserved. */
function nameOf({ network }: PaymentRequirements, { isReserved }: Offer): string | undefined {
  return isReserved ? NAMES[network] : undefined;
}

/** The value of `X-PAYMENT-RESPONSE`; undefined if version 1 has no name for the network. */
export function writeResponse({
  success,
  errorReason,
  payer,
  transaction,
  network,
}: SettleResponse): string | undefined {
  const name = NAMES[network];
  return name && encodeJson({ success, errorReason, payer, transaction, network: name }, 'base64');
}
