import { findAsset, findAssetByKey, type TestAction } from '@quittance/contract';
import type { Client } from '../../platform/http/admission/client.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { findPublicView, type PublicView } from '../checkout-sessions/public-session.ts';
import type { CheckoutSession } from '../checkout-sessions/session.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { closeNow, simulatePayment } from './simulate-payment.ts';
import { inSandbox } from './sandbox.ts';

/** The actions of the bar on a test session's page, within the client's budgets. Live sessions are not found here. */
export async function actOnTestSession(
  ctx: Context,
  sessionId: string,
  action: TestAction,
  client: Client | null,
): Promise<PublicView> {
  const { session, payment } = await findPublicView(ctx, sessionId);
  if (session.livemode) fail('not_found', { param: 'id' });

  switch (action) {
    case 'add_block':
      await inSandbox(ctx, session.accountId, (sandbox) => sandbox.addBlock(payment.receiveNetwork));
      break;
    case 'expire':
      await inSandbox(ctx, session.accountId, (sandbox) => closeNow(ctx, sandbox, payment));
      break;
    default:
      await simulatePayment(ctx, sessionId, { ...choiceFor(session, payment), outcome: action }, client);
  }
  return findPublicView(ctx, sessionId);
}

/** The customer's choice, otherwise the direct route, or the first accepted asset if that is not accepted. */
function choiceFor(session: CheckoutSession, payment: Payment): { asset: string; network: string } {
  const shown = { asset: payment.payAsset, network: payment.payNetwork };
  const isAccepted = session.acceptedAssets.includes(findAsset(shown.asset, shown.network)?.key ?? '');
  return isAccepted ? shown : (findAssetByKey(session.acceptedAssets[0] ?? '') ?? shown);
}
