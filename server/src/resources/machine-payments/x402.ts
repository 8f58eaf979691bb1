// x402 version 2 over HTTP: requirements out, payment payloads in. No I/O.
import { cutText } from '@quittance/contract/readable-text';
import { canonicalJson, decodeJson, encodeJson, isObject } from './json.ts';
import { canBeSigned, type Offer, SIGNATURE_SECONDS } from './offer.ts';

const VERSION = 2;
export const MAX_TEXT_LENGTH = 200;

export interface PaymentRequirements {
  scheme: 'exact';
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, string>;
}

/** Values outside the protocol's own fields, by the name of the extension. */
export type Extensions = Record<string, { info: Record<string, unknown>; schema: Record<string, unknown> }>;

/** A program's payment: the requirements that it accepted, as it repeats them, and its signature. */
export interface X402Credential {
  /** Version 2 if it is not set. */
  version?: 1;
  accepted: Record<string, unknown>;
  payload: Record<string, unknown>;
}

/** The requirements of an offer; undefined if no facilitator settles it, or too little time is left. */
export function requirementsOf(offer: Offer): PaymentRequirements | undefined {
  const { machine, domain, facilitator } = offer;
  if (!canBeSigned(offer)) return undefined;
  // No facilitator supports SOL, because the scheme uses token transfers.
  const asset = machine.family === 'evm' ? machine.token : machine.mint;
  if (asset === null) return undefined;
  const extra: Record<string, string> =
    machine.family === 'evm'
      ? { name: domain?.name ?? '', version: domain?.version ?? '' }
      : { feePayer: facilitator?.feePayer ?? '', memo: offer.reference };
  return {
    scheme: 'exact',
    network: machine.caip2,
    amount: offer.amountUnits.toString(),
    asset,
    payTo: offer.payTo,
    maxTimeoutSeconds: SIGNATURE_SECONDS,
    // So that a payment for a payment link finds its session.
    extra: { ...extra, session: offer.sessionId },
  };
}

/** The value of `PAYMENT-REQUIRED`. */
export function writeRequired(
  requirements: PaymentRequirements,
  offer: Offer,
  error: string,
  extensions: Extensions | undefined,
): string {
  return encodeJson(
    {
      x402Version: VERSION,
      error,
      resource: {
        url: offer.resourceUrl,
        mimeType: 'application/json',
        ...(offer.description !== null && { description: cutText(offer.description, MAX_TEXT_LENGTH) }),
      },
      accepts: [requirements],
      ...(extensions && { extensions }),
    },
    'base64',
  );
}

/** Reads `PAYMENT-SIGNATURE`; undefined if it is malformed or of another version. */
export function readPayload(header: string): X402Credential | undefined {
  const value = decodeJson(header.trim(), 'base64');
  if (value?.x402Version !== VERSION || !isObject(value.accepted) || !isObject(value.payload)) return undefined;
  return { accepted: value.accepted, payload: value.payload };
}

export function sessionOf({ accepted }: X402Credential): string | undefined {
  const { session } = isObject(accepted.extra) ? accepted.extra : {};
  return typeof session === 'string' ? session : undefined;
}

/** Whether the program accepted exactly the current offer, byte for byte. */
export function isOffered({ accepted }: X402Credential, offer: Offer): boolean {
  const requirements = requirementsOf(offer);
  return requirements !== undefined && canonicalJson(accepted) === canonicalJson(requirements);
}

/** The payment in the facilitator's format. */
export function paymentPayload(requirements: PaymentRequirements, resourceUrl: string, payload: unknown) {
  return { x402Version: VERSION, resource: { url: resourceUrl }, accepted: requirements, payload };
}

export interface SettleResponse {
  success: boolean;
  errorReason?: string;
  payer?: string;
  transaction: string;
  network: string;
  amount?: string;
  extensions?: Extensions;
}

/** The value of `PAYMENT-RESPONSE`. */
export function writeResponse(response: SettleResponse): string {
  return encodeJson(response, 'base64');
}
