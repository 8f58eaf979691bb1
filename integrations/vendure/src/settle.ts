import { decide, type PaymentFacts, toMinor } from '@quittance/integrations/core';
import type { Payment as ServicePayment, Refund as ServiceRefund } from '@quittance/sdk';
import {
  ChannelService,
  type ID,
  isGraphQlErrorResult,
  Logger,
  Order,
  OrderService,
  type Payment,
  Refund,
  RequestContextService,
  type RequestContext,
  TransactionalConnection,
  UserInputError,
} from '@vendure/core';
import { Inject, Injectable } from '@nestjs/common';
import { LockNotSupportedOnGivenDriverError } from 'typeorm';
import { VerifiedPayment } from './handler.ts';
import { mayBePaid, paymentOf, returnedIn, shopOrderOf } from './order.ts';
import { QuittanceSession } from './session.ts';

/** What the service says of a payment now. */
export interface Answer {
  payment: Pick<ServicePayment, 'id'> & PaymentFacts;
  refunds: Pick<ServiceRefund, 'id' | 'status' | 'reason'>[];
}

/** The shop does not take the payment, for example because a coupon expired meanwhile. */
class RefusedError extends Error {}

const REVIEWS: Record<string, string> = {
  paid_twice: 'The order is paid, and this payment came beside it. Refund it in Quittance.',
  order_canceled: 'The order was canceled or deleted before the payment arrived. Refund it in Quittance.',
  amount_differs: 'The order was changed after the customer began to pay. Compare the amounts.',
  settlement_alert: 'The transfer is in doubt. Wait before you ship.',
  underpaid: 'Too little arrived. Accept or refund it in Quittance.',
  paid_late: 'The money arrived after the checkout had expired. Accept or refund it in Quittance.',
  transfer_released: 'The transfer was given back to the owner of its address. Do not ship.',
  order_refused: 'The shop did not take the payment.',
};

/** Does in the shop what a payment means for its order: one order, once, in one transaction. */
@Injectable()
export class QuittanceSettleService {
  readonly #connection: TransactionalConnection;
  readonly #orders: OrderService;
  readonly #contexts: RequestContextService;
  readonly #channels: ChannelService;

  constructor(
    @Inject(TransactionalConnection) connection: TransactionalConnection,
    @Inject(OrderService) orders: OrderService,
    @Inject(RequestContextService) contexts: RequestContextService,
    @Inject(ChannelService) channels: ChannelService,
  ) {
    this.#connection = connection;
    this.#orders = orders;
    this.#contexts = contexts;
    this.#channels = channels;
  }

  /** `session` is the one that the payment has, or that it tries again. */
  async settle(session: QuittanceSession, answer: Answer): Promise<void> {
    const ctx = await this.#contextOf(session.orderId);
    try {
      await this.#connection.withTransaction(ctx, (db) => this.#apply(db, session, answer));
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      await this.#connection.withTransaction(ctx, (db) => this.#refuse(db, session, answer, error.message));
    }
  }

  async #apply(ctx: RequestContext, session: QuittanceSession, { payment, refunds }: Answer): Promise<void> {
    const { order, sessions, row } = await this.#hold(ctx, session, payment);
    const payments = order === null ? [] : await this.#orders.getOrderPayments(ctx, order.id);
    const { steps, applied } = decide(shopOrderOf(order, payments, sessions), payment, { asked: true });
    if (applied === null) return;

    for (const step of steps) {
      if (step.type === 'capture' && order !== null) await this.#capture(ctx, order, row.method, payment);
      if (step.type === 'review') await this.#note(ctx, order, { payment: payment.id, why: step.why });
    }
    const paid = order && paymentOf(await this.#orders.getOrderPayments(ctx, order.id), sessions);
    const isOurs = paid?.transactionId === row.sessionId;
    const isWaiting = isOurs && (await this.#recordRefunds(ctx, paid, toMinorOrZero(applied.refunded), refunds));
    row.applied = applied;
    row.isOpen = isWaiting || (!isOurs && payment.status !== 'refunded' && mayBePaid(row));
    await this.#connection.getRepository(ctx, QuittanceSession).save(row);
  }

  /** Locks the order: what else is heard of it waits. A session that the customer tried again by themselves is new. */
  async #hold(ctx: RequestContext, session: QuittanceSession, payment: Answer['payment']) {
    await this.#lock(ctx, session.orderId);
    const order = (await this.#orders.findOne(ctx, session.orderId)) ?? null;
    const sessions = await this.#connection
      .getRepository(ctx, QuittanceSession)
      .find({ where: { orderId: session.orderId } });
    const known = sessions.find(({ sessionId }) => sessionId === payment.session);
    if (known) return { order, sessions, row: known };
    const { id: _, updatedAt: __, ...fields } = session;
    const own = { sessionId: payment.session ?? '', createdAt: new Date(payment.created_at), applied: null };
    const row = new QuittanceSession({ ...fields, ...own });
    return { order, sessions: [...sessions, row], row };
  }

  async #lock(ctx: RequestContext, id: ID): Promise<void> {
    const order = this.#connection.getRepository(ctx, Order).createQueryBuilder('o').where('o.id = :id', { id });
    try {
      await order.setLock('pessimistic_write').getOne();
    } catch (error) {
      // SQLite, which has one writer at a time.
      if (!(error instanceof LockNotSupportedOnGivenDriverError)) throw error;
    }
  }

  async #capture(ctx: RequestContext, order: Order, method: string, payment: Answer['payment']): Promise<void> {
    // The customer went back to their cart, and changed nothing.
    if (order.state === 'AddingItems')
      await accepted(this.#orders.transitionToState(ctx, order.id, 'ArrangingPayment'));
    await accepted(this.#orders.addPaymentToOrder(ctx, order.id, { method, metadata: new VerifiedPayment(payment) }));
  }

  /** Brings the refunds of the shop to what the service says. Whether one is still on its way. */
  async #recordRefunds(
    ctx: RequestContext,
    paid: Payment,
    returned: number,
    refunds: Answer['refunds'],
  ): Promise<boolean> {
    let settled = returnedIn(paid);
    let isWaiting = false;
    const taken = new Set(paid.refunds.filter(({ state }) => state === 'Settled').map((one) => one.transactionId));
    for (const refund of paid.refunds.filter(({ state }) => state === 'Pending')) {
      const status = refunds.find(({ id }) => id === refund.transactionId)?.status;
      if (taken.has(refund.transactionId)) {
        // Two clicks at once began one refund of the service, whose money goes back once.
        await this.#orders.transitionRefundToState(ctx, refund.id, 'Failed');
      } else if (status === 'final') {
        await this.#orders.transitionRefundToState(ctx, refund.id, 'Settled');
        taken.add(refund.transactionId);
        settled += refund.total;
      } else if (status === 'failed' || status === 'cancelled')
        await this.#orders.transitionRefundToState(ctx, refund.id, 'Failed');
      else isWaiting = true;
    }
    if (returned > settled) await this.#recordOther(ctx, paid, returned - settled, refunds);
    return isWaiting;
  }

  /** What was returned in Quittance, and not by the shop. */
  async #recordOther(ctx: RequestContext, paid: Payment, total: number, refunds: Answer['refunds']): Promise<void> {
    const known = new Set(paid.refunds.map(({ transactionId }) => transactionId));
    const other = refunds.filter(({ id, status }) => status === 'final' && !known.has(id)).at(-1);
    const refund = await this.#connection.getRepository(ctx, Refund).save(
      new Refund({
        payment: paid,
        total,
        items: 0,
        shipping: 0,
        adjustment: 0,
        method: paid.method,
        reason: other?.reason ?? 'Refunded in Quittance',
        transactionId: other?.id ?? '',
        state: 'Pending',
        metadata: {},
      }),
    );
    await this.#orders.transitionRefundToState(ctx, refund.id, 'Settled');
  }

  async #refuse(ctx: RequestContext, session: QuittanceSession, { payment }: Answer, message: string): Promise<void> {
    const { order, row } = await this.#hold(ctx, session, payment);
    if (row.applied?.review !== 'order_refused')
      await this.#note(ctx, order, { payment: payment.id, why: 'order_refused', more: message });
    const { created_at, sequence } = payment;
    row.applied = { created_at, sequence, refunded: '0.00', closed: false, ...row.applied, review: 'order_refused' };
    row.isOpen = mayBePaid(row);
    await this.#connection.getRepository(ctx, QuittanceSession).save(row);
  }

  /** Asks a person: a private note in the history of the order, or an error in the log if the order was deleted. */
  async #note(ctx: RequestContext, order: Order | null, review: { payment: string; why: string; more?: string }) {
    const { payment, why, more = '' } = review;
    const note = `Quittance, ${payment}, ${why}: ${REVIEWS[why] ?? 'Look at it in Quittance.'} ${more}`.trim();
    if (order === null) Logger.error(note, 'Quittance');
    else await this.#orders.addNoteToOrder(ctx, { id: order.id, note, isPublic: false });
  }

  /** The channel of the order, so that its payment method is found. */
  async #contextOf(id: ID): Promise<RequestContext> {
    const order = await this.#connection.rawConnection
      .getRepository(Order)
      .findOne({ where: { id }, relations: { channels: true } });
    const standard = await this.#channels.getDefaultChannel();
    const channel = order?.channels.find((one) => one.id !== standard.id) ?? standard;
    return this.#contexts.create({ apiType: 'admin', channelOrToken: channel });
  }
}

/** Nothing is done halfway: an error rolls back. */
async function accepted(answering: Promise<object>): Promise<void> {
  const answer = await answering.catch((error: unknown) => {
    // The payment method was disabled meanwhile.
    throw error instanceof UserInputError ? new RefusedError(error.message) : error;
  });
  if (isGraphQlErrorResult(answer as never)) throw new RefusedError((answer as { message: string }).message);
}

function toMinorOrZero(amount: string): number {
  return amount === '0.00' ? 0 : Number(toMinor(amount));
}
