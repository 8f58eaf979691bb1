import type { Context } from '../../context.ts';
import { ApiError } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { signJws } from '../../platform/signing/jws.ts';
import { jwksPath } from '../../platform/signing/jwks.ts';
import { currentSigningKey } from '../../platform/signing/signing-keys.ts';
import type { Offer } from './offer.ts';
import type { Extensions, PaymentRequirements } from './x402.ts';

/** The x402 extension `offer-receipt`: the offer and the receipt, signed with the account's key for statements. */
const NAME = 'offer-receipt';
const OFFER_TYPE = 'offer+jwt';
const OFFER_VERSION = 1;
/** Programs read headers of 16 kB. A receipt of very many transfers is only in the body. */
const MAX_JWS_LENGTH = 6_000;

/** The signed offer for the requirements; undefined while it cannot be signed, because an offer is valid without it. */
export async function signedOffer(
  ctx: Context,
  requirements: PaymentRequirements,
  offer: Offer,
): Promise<Extensions | undefined> {
  const account = { id: offer.accountId, livemode: offer.livemode };
  const { scheme, network, asset, payTo, amount } = requirements;
  const seconds = (instant: Date) => Math.floor(instant.getTime() / SECOND_MS);
  const claims = {
    version: OFFER_VERSION,
    resourceUrl: offer.resourceUrl,
    scheme,
    network,
    asset,
    payTo,
    amount,
    validUntil: seconds(offer.endsAt),
    iss: ctx.config.publicUrl,
    jwks_url: `${ctx.config.publicUrl}${jwksPath(account)}`,
    iat: seconds(offer.now),
    livemode: offer.livemode,
  };
  try {
    const signature = signJws(await currentSigningKey(ctx, account), OFFER_TYPE, claims);
    return extension({ offers: [{ format: 'jws', acceptIndex: 0, signature }] });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

/** The bytes of the signed receipt, if they fit into a header. */
export function signedReceipt(jws: string | null): Extensions | undefined {
  if (jws === null || jws.length > MAX_JWS_LENGTH) return undefined;
  return extension({ receipt: { format: 'jws', signature: jws } });
}

function extension(info: Record<string, unknown>): Extensions {
  return { [NAME]: { info, schema: SCHEMA } };
}

const SCHEMA = { type: 'object' };
