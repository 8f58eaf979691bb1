import { type Event, NotFoundError, type RefundEvent } from '@quittance/sdk';
import { Logger, Order, TransactionalConnection } from '@vendure/core';
import { Inject, Injectable } from '@nestjs/common';
import { configured } from './options.ts';
import { mayBePaid } from './order.ts';
import { QuittanceSession } from './session.ts';
import { type Answer, QuittanceSettleService } from './settle.ts';

/** About a session that no one began to pay the shop stops asking first. Webhooks are still taken. */
const ASKED_UNSTARTED_FOR_MS = 2 * 24 * 60 * 60_000;
/** How often one that has expired or failed is asked about. */
const ASKED_AGAIN_AFTER_MS = 6 * 60 * 60_000;
/** A run ends before the scheduler's own limit of a minute, and the next one goes on with those asked longest ago. */
const RUN_MS = 30_000;
/** The last part of a run is kept for sessions that are over, so that many open ones do not keep those from their turn. */
const KEPT_FOR_OVER_MS = 10_000;
const MAX_PER_RUN = 1_000;
/** A stranger who returns again and again causes few calls. */
const MAX_PER_RETURN = 5;
/** A customer tries an order again for a day, each time in the session that follows. */
const MAX_RETRIES_FOLLOWED = 20;

/**
 * Asks the service what became of payments. A webhook is only a reason to ask: the answer is newer than any event, and
 * one path serves events, customers who return, and the task that looks for what was missed.
 */
@Injectable()
export class QuittanceAskService {
  readonly #connection: TransactionalConnection;
  readonly #settling: QuittanceSettleService;

  constructor(
    @Inject(TransactionalConnection) connection: TransactionalConnection,
    @Inject(QuittanceSettleService) settling: QuittanceSettleService,
  ) {
    this.#connection = connection;
    this.#settling = settling;
  }

  /** A webhook that was verified. Events of payments that are not of this shop change nothing. */
  async afterEvent({ data }: Event | RefundEvent): Promise<void> {
    await this.#askAbout('payment' in data ? data.payment : data.id);
  }

  /** The newest open sessions of an order: its customer has returned. */
  async aboutOrder(code: string): Promise<void> {
    const order = await this.#connection.rawConnection.getRepository(Order).findOneBy({ code });
    if (!order) return;
    const where = { orderId: order.id, isOpen: true };
    for (const session of await this.#sessions().find({ where, order: { id: 'DESC' }, take: MAX_PER_RETURN }))
      await this.#aboutSession(session);
  }

  /**
   * The open sessions, those asked longest ago first. What is over comes after them and seldom: it is rarely paid, and a
   * month of it would delay those that are being paid. Returns how many were asked about.
   */
  async aboutAll(): Promise<number> {
    const begun = Date.now();
    const open = await this.#sessions().find({ where: { isOpen: true }, order: { updatedAt: 'ASC' } });
    const current = open.filter(({ applied }) => !applied?.closed);
    const isDue = ({ updatedAt }: QuittanceSession) => updatedAt.getTime() + ASKED_AGAIN_AFTER_MS < Date.now();
    const over = open.filter((session) => session.applied?.closed && isDue(session));
    const asked = await this.#aboutEach(current, begun + RUN_MS - KEPT_FOR_OVER_MS);
    return asked + (await this.#aboutEach(over, begun + RUN_MS));
  }

  async #aboutEach(sessions: readonly QuittanceSession[], until: number): Promise<number> {
    let asked = 0;
    for (const session of sessions.slice(0, MAX_PER_RUN)) {
      if (Date.now() > until) break;
      await this.#sessions().update(session.id, { updatedAt: new Date() });
      asked += 1;
      try {
        await this.#aboutSession(session);
      } catch (error) {
        // Deleted, or of test mode when the shop has gone live.
        if (error instanceof NotFoundError && !mayBePaid(session))
          await this.#sessions().update(session.id, { isOpen: false });
        else Logger.error(`${session.sessionId} could not be asked about: ${error}`, 'Quittance');
      }
    }
    return asked;
  }

  async #aboutSession(session: QuittanceSession): Promise<void> {
    const { payment } = await configured().client.checkout.sessions.retrieve(session.sessionId);
    if (payment !== null) return this.#askAbout(payment);
    // Its customer never began to pay.
    const endedAt = session.expiresAt ?? session.createdAt;
    if (endedAt.getTime() + ASKED_UNSTARTED_FOR_MS < Date.now())
      await this.#sessions().update(session.id, { isOpen: false });
  }

  async #askAbout(id: string): Promise<void> {
    const { client } = configured();
    const payment = await client.payments.retrieve(id);
    const session = await this.#sessionOf(payment);
    if (!session) return;
    const refunds: Answer['refunds'] =
      payment.refunds.length === 0 ? [] : await client.refunds.ofPayment(id).toArray({ limit: 100 });
    await this.#settling.settle(session, { payment, refunds });
  }

  /** The session of this shop that a payment has, or that its customer tried again. */
  async #sessionOf({ session, metadata }: { session: string | null; metadata: Record<string, string> }) {
    // Payments of other programs with the same account have other metadata.
    if (session === null || metadata.vendure_method === undefined) return undefined;
    let id: string | null = session;
    for (let followed = 0; id !== null && followed <= MAX_RETRIES_FOLLOWED; followed += 1) {
      const known = await this.#sessions().findOneBy({ sessionId: id });
      if (known) return known;
      id = await retriedBy(id);
    }
    return undefined;
  }

  #sessions() {
    return this.#connection.rawConnection.getRepository(QuittanceSession);
  }
}

async function retriedBy(session: string): Promise<string | null> {
  try {
    return (await configured().client.checkout.sessions.retrieve(session)).retry_of;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
