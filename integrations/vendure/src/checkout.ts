import { createFor, fromMinor, keyOf } from '@quittance/integrations/core';
import type { CreateCheckoutSessionBody } from '@quittance/sdk';
import {
  ActiveOrderService,
  Logger,
  type Order,
  OrderService,
  PaymentMethodService,
  type RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { Inject, Injectable } from '@nestjs/common';
import { quittanceHandler } from './handler.ts';
import { configured } from './options.ts';
import { outstandingOf, returnPathOf } from './order.ts';
import { QuittanceSession } from './session.ts';

export type CheckoutAnswer =
  | { __typename: 'QuittanceCheckout'; sessionId: string; checkoutUrl: string }
  | { __typename: 'QuittanceCheckoutError'; errorCode: string; message: string };

/** A session that ends sooner is not shown again to a customer who comes back. */
const ENOUGH_TIME_MS = 5 * 60_000;
/** The longest name of a customer that the service accepts. */
const MAX_NAME_LENGTH = 200;

/** Opens a checkout for the customer's active order. */
@Injectable()
export class QuittanceCheckoutService {
  readonly #connection: TransactionalConnection;
  readonly #activeOrder: ActiveOrderService;
  readonly #orders: OrderService;
  readonly #methods: PaymentMethodService;

  constructor(
    @Inject(TransactionalConnection) connection: TransactionalConnection,
    @Inject(ActiveOrderService) activeOrder: ActiveOrderService,
    @Inject(OrderService) orders: OrderService,
    @Inject(PaymentMethodService) methods: PaymentMethodService,
  ) {
    this.#connection = connection;
    this.#activeOrder = activeOrder;
    this.#orders = orders;
    this.#methods = methods;
  }

  async open(ctx: RequestContext, method: string): Promise<CheckoutAnswer> {
    const order = await this.#activeOrder.getActiveOrder(ctx, undefined);
    if (!order) return refused('NO_ACTIVE_ORDER_ERROR', 'There is no order to pay.');
    if (order.state !== 'ArrangingPayment')
      return refused('ORDER_PAYMENT_STATE_ERROR', `The order is ${order.state}, not ArrangingPayment.`);
    const ineligible = await this.#whyNot(ctx, order, method);
    if (ineligible !== undefined) return refused('INELIGIBLE_PAYMENT_METHOD_ERROR', ineligible);

    const amount = outstandingOf(order, await this.#orders.getOrderPayments(ctx, order.id));
    if (amount <= 0) return refused('ORDER_PAYMENT_STATE_ERROR', 'The order is paid.');
    const sessions = await this.#sessions(ctx).find({ where: { orderId: order.id }, order: { id: 'DESC' } });
    const open = sessions.find((session) => canGoOn(session, { amount, currency: order.currencyCode, method }));
    if (open) return answer(open);
    try {
      return answer(await this.#create(ctx, order, { amount, method, number: sessions.length }));
    } catch (error) {
      Logger.error(`A checkout of order ${order.code} could not be created: ${error}`, 'Quittance');
      return refused('PAYMENT_FAILED_ERROR', 'The payment could not be started. Please try again in a minute.');
    }
  }

  async #whyNot(ctx: RequestContext, order: Order, code: string): Promise<string | undefined> {
    const found = (await this.#methods.getEligiblePaymentMethods(ctx, order)).find((one) => one.code === code);
    if (!found) return `There is no payment method ${code}.`;
    if (!found.isEligible) return found.eligibilityMessage ?? 'This payment method does not fit the order.';
    const { handler } = await this.#methods.getMethodAndOperations(ctx, code);
    return handler.code === quittanceHandler.code ? undefined : `The payment method ${code} is not Quittance.`;
  }

  async #create(
    ctx: RequestContext,
    order: Order,
    { amount, method, number }: { amount: number; method: string; number: number },
  ): Promise<QuittanceSession> {
    const { client, options } = configured();
    const { emailAddress: email, firstName, lastName, id } = order.customer ?? {};
    const name = `${firstName} ${lastName}`.trim().slice(0, MAX_NAME_LENGTH);
    const wanted: CreateCheckoutSessionBody = {
      amount: fromMinor(amount),
      currency: order.currencyCode as 'USD',
      order_id: order.code,
      description: `Order ${order.code}`,
      metadata: { vendure_method: method },
      success_url: `${options.serverUrl}${returnPathOf(order.code)}`,
      ...(options.cancelUrl && { cancel_url: options.cancelUrl }),
      ...(email && { customer: { email, ...(name && { name }), reference: String(id) } }),
    };
    // The same key until a session is stored: two clicks, or a lost answer, find the same session.
    const session = await createFor(wanted, async (body) =>
      client.checkout.sessions.create(body, { idempotencyKey: await keyOf('vendure', body, number) }),
    );
    const row = new QuittanceSession({
      sessionId: session.id,
      orderId: order.id,
      method,
      amount,
      currency: order.currencyCode,
      checkoutUrl: session.checkout_url,
      expiresAt: session.expires_at === null ? null : new Date(session.expires_at),
      applied: null,
      isOpen: true,
    });
    try {
      return await this.#sessions(ctx).save(row);
    } catch (error) {
      // Of two clicks at once the other one has stored it.
      const known = await this.#sessions(ctx).findOneBy({ sessionId: session.id });
      if (known) return known;
      throw error;
    }
  }

  #sessions(ctx: RequestContext) {
    return this.#connection.getRepository(ctx, QuittanceSession);
  }
}

function canGoOn(session: QuittanceSession, wanted: { amount: number; currency: string; method: string }): boolean {
  const { amount, currency, method, expiresAt, isOpen, applied } = session;
  const isSame = amount === wanted.amount && currency === wanted.currency && method === wanted.method;
  const hasTime = expiresAt === null || expiresAt.getTime() > Date.now() + ENOUGH_TIME_MS;
  return isSame && isOpen && !applied?.closed && hasTime;
}

function answer({ sessionId, checkoutUrl }: QuittanceSession): CheckoutAnswer {
  return { __typename: 'QuittanceCheckout', sessionId, checkoutUrl };
}

function refused(errorCode: string, message: string): CheckoutAnswer {
  return { __typename: 'QuittanceCheckoutError', errorCode, message };
}
