import type { Asset } from '@quittance/contract';
import { formatDisplayAmount, formatUnits } from '../../platform/money.ts';
import type { Fee } from '../../settlement/records/fee.ts';

/** What a payment would cost, and what the wallet would receive. */
export interface Quote {
  id: string;
  livemode: boolean;
  type: 'direct' | 'routed';
  /** `direct` without a conversion, `indicative` if no provider could be asked. */
  provider: string;
  pay: Asset;
  receive: Asset;
  payUnits: bigint;
  outputUnits: bigint;
  fee: Fee;
  /** The premium in percent, if the customer must be warned of it. */
  priceWarning: number | null;
  expiresInSeconds: number;
  expiresAt: Date;
}

/** The quote as the API answers it. */
export function presentQuote(quote: Quote) {
  return {
    id: quote.id,
    livemode: quote.livemode,
    type: quote.type,
    provider: quote.provider,
    pay_asset: quote.pay.asset,
    pay_network: quote.pay.network,
    pay_amount: formatUnits(quote.payUnits, quote.pay.decimals),
    fee_pct: quote.fee.percent,
    service_fee: formatDisplayAmount(quote.fee.feeMinor),
    expected_output: `${formatUnits(quote.outputUnits, quote.receive.decimals)} ${quote.receive.asset}`,
    price_warning_pct: quote.priceWarning,
    expires_in: quote.expiresInSeconds,
    expires_at: quote.expiresAt.toISOString(),
  };
}
