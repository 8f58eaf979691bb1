import type { TestAction } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { findPublicView, type PublicView } from '../checkout-sessions/public-session.ts';
import { closeNow, payAsTold } from './pay-as-told.ts';
import { inSandbox } from './sandbox.ts';

/** What the bar on the page of a test session does. A live session is not found here. */
export async function actOnTestSession(ctx: Context, sessionId: string, action: TestAction): Promise<PublicView> {
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
      // What the customer has chosen, or the direct route where nothing was.
      await payAsTold(ctx, sessionId, { asset: payment.payAsset, network: payment.payNetwork, outcome: action });
  }
  return findPublicView(ctx, sessionId);
}
