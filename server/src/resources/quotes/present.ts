import { formatDisplayAmount, formatUnits } from '../../platform/money.ts';
import type { Quote } from './quote.ts';

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
    expires_in: quote.expiresInSeconds,
    expires_at: quote.expiresAt.toISOString(),
  };
}
