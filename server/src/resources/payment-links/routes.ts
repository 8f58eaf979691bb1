import { endpoints, type QueryOf } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { route } from '../../platform/http/route.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { presentOrder } from '../../settlement/records/order.ts';
import { createLink } from './create.ts';
import type { PaymentLink } from './link.ts';
import { fetchLinks, findLink, setLinkStatus } from './store.ts';
import { presentLimits } from './terms.ts';
import { updateLink } from './update.ts';

export const paymentLinkRoutes = [
  route(endpoints.createPaymentLink, async (ctx: Context, { db, caller, body }) =>
    presentLink(await createLink(db, caller, body), ctx.config.publicUrl),
  ),

  route(endpoints.listPaymentLinks, (ctx: Context, { caller, query }) => listLinks(ctx, { caller, query })),

  route(endpoints.getPaymentLink, async (ctx: Context, { caller, params }) =>
    presentLink(
      (await findLink(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' }),
      ctx.config.publicUrl,
    ),
  ),

  route(endpoints.updatePaymentLink, async (ctx: Context, { db, caller, params, body }) =>
    presentLink(await updateLink(db, caller, params.id, body), ctx.config.publicUrl),
  ),

  route(endpoints.disablePaymentLink, async (ctx: Context, { db, caller, params }) =>
    presentLink(await disableLink(db, caller, params.id), ctx.config.publicUrl),
  ),

  route(endpoints.enablePaymentLink, async (ctx: Context, { db, caller, params }) =>
    presentLink(await enableLink(db, caller, params.id), ctx.config.publicUrl),
  ),
];

/** A page of the account's links, newest first. */
function listLinks(ctx: Context, call: { caller: Account; query: QueryOf<typeof endpoints.listPaymentLinks> }) {
  return listPage(call, ctx, {
    list: 'payment_links',
    prefix: 'pl',
    find: (id) => findLink(ctx.db, call.caller, id),
    fetch: (page) => fetchLinks(ctx.db, call.caller, page),
    position: (row) => ({ createdAt: row.createdAt, id: row.id }),
    present: (row) => presentLink(row, ctx.config.publicUrl),
  });
}

/**
 * Stops a link from taking new payments. Sessions that it opened before stay payable. A disabled link stays as it is.
 */
async function disableLink(db: Transaction, account: Account, id: string): Promise<PaymentLink> {
  return (await setLinkStatus(db, account, id, 'disabled')) ?? fail('not_found', { param: 'id' });
}

/** Lets a link take payments again. An active link stays as it is. */
async function enableLink(db: Transaction, account: Account, id: string): Promise<PaymentLink> {
  return (await setLinkStatus(db, account, id, 'active')) ?? fail('not_found', { param: 'id' });
}

/** The link as the API answers it. */
function presentLink(link: PaymentLink, publicUrl: string) {
  return {
    id: link.id,
    object: 'payment_link' as const,
    livemode: link.livemode,
    url: `${publicUrl}/pay/${link.id}`,
    amount: formatDisplayAmount(link.amountMinor),
    currency: link.currency,
    payout_wallet_id: link.payoutWalletId,
    receive_asset: link.receiveAsset,
    receive_network: link.receiveNetwork,
    status: link.status,
    payments: link.payments,
    ask_for: link.askFor,
    note_label: link.noteLabel,
    open_amount: presentLimits(link),
    ends_at: link.endsAt?.toISOString() ?? null,
    max_payments: link.maxPayments,
    ...presentOrder(link),
    description: link.description,
    success_url: link.successUrl,
    cancel_url: link.cancelUrl,
    created_at: link.createdAt.toISOString(),
  };
}
