import { fromMinor, type PaymentFacts, refundOf, toMinor } from '@quittance/integrations/core';
import { ConflictError, QuittanceError, ServerError } from '@quittance/sdk';
import { LanguageCode, PaymentMethodHandler, TransactionalConnection, UserInputError } from '@vendure/core';
import { configured } from './options.ts';
import { QuittanceSession } from './session.ts';

/** A payment that the service says is paid. Only this plugin makes one, so no storefront can say so. */
export class VerifiedPayment {
  readonly facts: PaymentFacts & { id: string };

  constructor(facts: PaymentFacts & { id: string }) {
    this.facts = facts;
  }
}

const BEGUN =
  'Quittance has begun an earlier refund of this payment that Vendure has not stored. Repeat that one first, with its amount and reason.';

let connection: TransactionalConnection;

/** The payment method. Customers pay by `createQuittanceCheckout`; what arrived becomes a settled payment. */
export const quittanceHandler: PaymentMethodHandler = new PaymentMethodHandler({
  code: 'quittance',
  description: [{ languageCode: LanguageCode.en, value: 'Crypto, directly into your own wallet (Quittance)' }],
  args: {},

  init(injector) {
    connection = injector.get(TransactionalConnection);
  },

  createPayment(_ctx, _order, amount, _args, metadata) {
    if (!(metadata instanceof VerifiedPayment))
      return {
        amount,
        state: 'Error',
        errorMessage: 'Call createQuittanceCheckout, and send the customer to its checkoutUrl.',
      };
    const { id, session, amount: price } = metadata.facts;
    if (BigInt(amount) !== toMinor(price)) return { amount, state: 'Error', errorMessage: 'The order was changed.' };
    return { amount, state: 'Settled', transactionId: session ?? '', metadata: { payment: id } };
  },

  settlePayment: () => ({ success: true }),

  cancelPayment: () => ({
    success: false,
    state: 'Settled',
    errorMessage: 'The money is in your wallet. Refund the payment instead of canceling it.',
  }),

  /** The customer names by a link where the money goes; the merchant sends it, and the service verifies it. */
  async createRefund(ctx, input, amount, _order, payment) {
    const { payments, refunds } = configured().client;
    const begun = (payment.refunds ?? []).filter(({ state }) => state !== 'Failed');
    const parts = { asked: fromMinor(amount), earlier: fromMinor(begun.reduce((sum, { total }) => sum + total, 0)) };
    // The same key until this refund is stored: a repetition after a rollback or a timeout finds the first one. By the
    // id of the service, because another shop of the account has payments with the same numbers.
    const idempotencyKey = `vendure-refund-${payment.metadata.payment}-${payment.refunds?.length ?? 0}`;
    try {
      const returned = refundOf(await payments.retrieve(payment.metadata.payment), parts);
      const body = { amount: returned, link: {}, ...(input.reason && { reason: input.reason.slice(0, 280) }) };
      const refund = await refunds.create(payment.metadata.payment, body, { idempotencyKey });
      // The shop asks until it has ended.
      const sessions = connection.getRepository(ctx, QuittanceSession);
      await sessions.update({ sessionId: payment.transactionId }, { isOpen: true });
      return {
        state: 'Pending',
        transactionId: refund.id,
        metadata: { link: refund.link?.url, mailedTo: refund.link?.mailed_to },
      };
    } catch (error) {
      // One was begun and is not stored here, so a failure would hide it and let another one begin beside it.
      if (error instanceof ConflictError && error.code.startsWith('idempotency_')) throw new UserInputError(BEGUN);
      // Whether it was created is unknown: nothing is stored, and a repetition finds out.
      if (!(error instanceof QuittanceError) || error instanceof ServerError) throw error;
      return { state: 'Failed', metadata: { error: error.message } };
    }
  },
});
