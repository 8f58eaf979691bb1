import type { MessageKey, Translate } from './i18n/messages.ts';
import { networkName } from '../networks/networks.ts';
import type { Refusal } from './page-state.ts';

/** An error of the service in the customer's language, without its codes. */
export function refusalText({ code, param }: Refusal, t: Translate, network = ''): string {
  return t(keyOf(code, param), { network: networkName(network) });
}

function keyOf(code: string, param: string | null): MessageKey<'network'> {
  if (param === 'refund_address') return 'error_refund_address';
  if (param === 'tx_hash' && code !== 'rate_limited') return 'error_transaction';
  switch (code) {
    case 'invalid_route':
      return 'error_route';
    case 'invalid_payment_state':
      return 'error_state';
    case 'service_unavailable':
      return 'error_unavailable';
    case 'invalid_signature':
      return 'wallet_wrong_sender';
    case 'rate_limited':
      return param === 'pay_asset' ? 'error_amounts' : 'error_busy';
    case 'idempotency_in_progress':
      return 'error_busy';
    default:
      return 'error_other';
  }
}
