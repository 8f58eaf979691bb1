import { createFor, keyOf, refundOf } from '@quittance/integrations/core';
import {
  type CheckoutSession,
  type CreateCheckoutSessionBody,
  type Event,
  InvalidRequestError,
  Quittance,
  type RefundEvent,
} from '@quittance/sdk';
import { constructEvent, SignatureVerificationError } from '@quittance/sdk/webhooks';
import type {
  AuthorizePaymentOutput,
  BigNumberInput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  Logger,
  PaymentProviderInput,
  PaymentProviderOutput,
  ProviderWebhookPayload,
  RefundPaymentInput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from '@medusajs/framework/types';
import {
  AbstractPaymentProvider,
  BigNumber,
  MedusaError,
  ModuleProvider,
  Modules,
  PaymentActions,
  PaymentSessionStatus,
} from '@medusajs/framework/utils';
import { type Due, isOver, isPaidBy, isStopped, makeOnce, roundedOf } from './due.ts';

export interface QuittanceOptions {
  /** A secret key of the service: `sk_live_…`, or `sk_test_…` for a shop that tests. */
  key: string;
  /** The address of the service. */
  baseUrl: string;
  /** The `whsec_…` of the endpoint that posts to `/hooks/payment/quittance_{id}` of this server. */
  webhookSecret: string;
  /** Where a customer who has paid goes in the storefront. */
  returnUrl: string;
  /** Where a customer who gives up goes. Default: the checkout page offers no way back. */
  cancelUrl?: string;
}

/**
 * What Medusa stores with a payment session, and with the payment that becomes of it. Until `initiatePayment` has
 * returned it is what the customer sent, so it says which checkout to look at, and never what is due.
 */
interface Stored {
  /** Our checkout session, `cs_…`. */
  id: string;
  checkout_url: string;
  /** Medusa's payment collection: all sessions of a cart are in one. */
  collection: string;
  amount: string;
  currency: string;
  /** Our payment, `pay_…`, once it is paid. */
  payment?: string;
  /** The refunds that were begun in Medusa. */
  refunds?: Begun[];
}

interface Begun {
  /** Our refund, `rf_…`. */
  id: string;
  amount: string;
  /** Where the customer names their address. */
  link: string | null;
}

/** What is needed of Medusa's own services in the container of its payment module. */
interface Cradle {
  logger: Logger;
  paymentSessionService: {
    retrieve(id: string): Promise<MedusaSession>;
    list(
      filters: { payment_collection_id: string },
      config: { relations: ['payment'] },
    ): Promise<{ id: string; data: Record<string, unknown>; payment?: object | null }[]>;
  };
  refundService: { retrieve(id: string): Promise<{ payment_id: string }> };
  paymentService: {
    retrieve(
      id: string,
      config: { relations: ['refunds'] },
    ): Promise<{ data: Record<string, unknown>; refunds: { id: string; amount: BigNumberInput }[] }>;
  };
}

interface MedusaSession {
  payment_collection_id: string;
  amount: BigNumberInput;
  currency_code: string;
}

/** A checkout that ends sooner is not shown again to a customer who comes back. */
const ENOUGH_TIME_MS = 5 * 60_000;
const MAX_REMEMBERED = 10_000;

/** Quittance as a payment provider: the customer pays on its checkout page, and what arrived is captured. */
export class QuittancePaymentProvider extends AbstractPaymentProvider<QuittanceOptions> {
  static override identifier = 'quittance';
  readonly #options: QuittanceOptions;
  readonly #client: Quittance;
  readonly #cradle: Cradle;
  /** Payments of which an event was just verified, by collection: their customer may have paid an earlier checkout. */
  readonly #announced = new Map<string, string>();
  /** Refunds that were just begun, by payment: of two at once, Medusa keeps only what the second one returns. */
  readonly #begun = new Map<string, Begun[]>();

  static override validateOptions(options: Record<string, unknown>): void {
    for (const name of ['key', 'baseUrl', 'webhookSecret', 'returnUrl'])
      if (!options[name])
        throw new MedusaError(MedusaError.Types.INVALID_DATA, `Quittance needs the option \`${name}\`.`);
  }

  constructor(cradle: Cradle, options: QuittanceOptions) {
    super(cradle as never, options);
    this.#cradle = cradle;
    this.#options = options;
    this.#client = new Quittance(options.key, { baseUrl: options.baseUrl, timeoutMs: 8_000, maxRetries: 1 });
  }

  async initiatePayment({ data, context }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const stored = await this.#open(await this.#dueOf(data?.session_id), context);
    // Medusa keeps what the customer sent beside it.
    return {
      id: stored.id,
      status: PaymentSessionStatus.PENDING,
      data: { payment: undefined, refunds: undefined, ...stored },
    };
  }

  /** A cart that changed is paid by another checkout. */
  async updatePayment({ amount, currency_code, data, context }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const due = this.#due({ payment_collection_id: storedOf(data).collection, amount, currency_code });
    return { status: PaymentSessionStatus.PENDING, data: { ...(await this.#open(due, context)) } };
  }

  /** A repetition, or a customer who chooses twice, finds the first checkout of the cart at its price. */
  async #open(due: Due, context: InitiatePaymentInput['context']): Promise<Stored> {
    const { collection, amount, currency } = due;
    const { email, id: reference } = context?.customer ?? {};
    const wanted: CreateCheckoutSessionBody = {
      amount,
      currency: currency as 'USD',
      metadata: { medusa_collection: collection },
      success_url: this.#options.returnUrl,
      ...(this.#options.cancelUrl && { cancel_url: this.#options.cancelUrl }),
      ...(email && { customer: { email, ...(reference && { reference }) } }),
    };
    const { sessions } = this.#client.checkout;
    const isEnded = async ({ id, expires_at }: CheckoutSession) => {
      if (expires_at !== null && Date.parse(expires_at) <= Date.now() + ENOUGH_TIME_MS) return true;
      const { payment } = await sessions.retrieve(id);
      return payment !== null && isOver(due, await this.#ask(payment));
    };
    const { id, checkout_url } = await createFor(wanted, async (body) =>
      makeOnce(await keyOf('medusa', body), (options) => sessions.create(body, options), isEnded),
    ).catch(refuse);
    return { id, checkout_url, collection, amount, currency };
  }

  /** Asks the service: by a webhook, or because the customer came back and completes their cart. */
  async authorizePayment({ data, context }: PaymentProviderInput): Promise<AuthorizePaymentOutput> {
    const { refunds: _, ...stored } = storedOf(data);
    const due = await this.#dueOf(context?.idempotency_key);
    for await (const answer of this.#paymentsOf(stored, due.collection))
      if (isPaidBy(due, answer))
        return { status: PaymentSessionStatus.CAPTURED, data: { ...stored, payment: answer.payment.id } };
    // Also an expired one, which its customer may try again.
    return { status: PaymentSessionStatus.PENDING, data: stored };
  }

  getPaymentStatus(input: PaymentProviderInput): Promise<AuthorizePaymentOutput> {
    return this.authorizePayment(input);
  }

  /** What Medusa's session is for. Medusa sends the session's id as the key. */
  async #dueOf(session: unknown): Promise<Due> {
    return this.#due(await this.#cradle.paymentSessionService.retrieve(String(session)));
  }

  #due({ payment_collection_id, amount, currency_code }: MedusaSession): Due {
    return {
      collection: payment_collection_id,
      amount: priceOf(amount),
      currency: currency_code.toUpperCase(),
      livemode: this.#options.key.startsWith('sk_live_'),
    };
  }

  /** The payments that may pay a cart: the customer may have paid an earlier checkout than this one. */
  async *#paymentsOf(stored: Stored, collection: string) {
    const asked = new Set<string>();
    for (const find of [
      () => this.#announced.get(collection),
      () => stored.payment,
      async () => (await this.#client.checkout.sessions.retrieve(stored.id)).payment,
    ]) {
      const id = await find();
      if (!id || asked.has(id)) continue;
      asked.add(id);
      yield await this.#ask(id);
    }
  }

  async #ask(id: string) {
    const payment = await this.#client.payments.retrieve(id);
    const begun = payment.refunds.length > 0 ? this.#client.refunds.ofPayment(id).toArray({ limit: 100 }) : [];
    return { payment, refunds: await begun };
  }

  /** The money arrived before Medusa knows of it: there is nothing to capture. */
  async capturePayment({ data }: PaymentProviderInput): Promise<PaymentProviderOutput> {
    return { data: data ?? {} };
  }

  /** The customer names by a link where the money goes; the merchant sends it, and the service verifies it. */
  async refundPayment({ amount, context }: RefundPaymentInput): Promise<PaymentProviderOutput> {
    // Medusa sends the id of its refund as the key. If this fails, it deletes that refund, and a repetition has another.
    const own = String(context?.idempotency_key);
    const { payment_id } = await this.#cradle.refundService.retrieve(own);
    const { data, refunds } = await this.#cradle.paymentService.retrieve(payment_id, { relations: ['refunds'] });
    const stored = storedOf(data);
    const payment = stored.payment ?? '';
    const price = priceOf(amount);
    const before = refunds.filter((one) => one.id < own);
    const earlier = before.filter((one) => priceOf(one.amount) === price).length;
    const parts = { asked: price, earlier: roundedOf(before.reduce((sum, one) => sum + unitsOf(one.amount), 0)) };
    const returned = refundOf(await this.#client.payments.retrieve(payment), parts);
    const { id, link } = await makeOnce(
      `medusa-refund-${payment}-${price}-${earlier}`,
      (options) => this.#client.refunds.create(payment, { amount: returned, link: {} }, options),
      async ({ id }) => isStopped(await this.#client.refunds.retrieve(id)),
    );
    const lately = [...(this.#begun.get(payment) ?? []), { id, amount: returned, link: link?.url ?? null }];
    remember(this.#begun, payment, lately);
    const begun = new Map([...(stored.refunds ?? []), ...lately].map((one) => [one.id, one]));
    return { data: { ...stored, refunds: [...begun.values()] } };
  }

  /** A checkout cannot be closed from outside: it expires. Money that arrives by it is shown in Quittance. */
  async cancelPayment({ data }: PaymentProviderInput): Promise<PaymentProviderOutput> {
    return { data: data ?? {} };
  }

  deletePayment(input: PaymentProviderInput): Promise<PaymentProviderOutput> {
    return this.cancelPayment(input);
  }

  async retrievePayment({ data }: PaymentProviderInput): Promise<PaymentProviderOutput> {
    const stored = storedOf(data);
    const id = stored.payment ?? (await this.#client.checkout.sessions.retrieve(stored.id)).payment;
    return { data: { ...stored, ...(id !== null && (await this.#client.payments.retrieve(id))) } };
  }

  /** An event is only a reason to ask: Medusa authorizes what it says is captured, and then we look ourselves. */
  async getWebhookActionAndData({ rawData, headers }: ProviderWebhookPayload['payload']): Promise<WebhookActionResult> {
    const ignored = { action: PaymentActions.NOT_SUPPORTED };
    const header = String(headers['service-signature'] ?? '');
    let event: Event | RefundEvent;
    try {
      // However old: it may have waited in Medusa's queue, and a replayed one only makes us ask again.
      const options = { toleranceSeconds: 0 };
      event = await constructEvent<Event | RefundEvent>(rawData, header, this.#options.webhookSecret, options);
    } catch (error) {
      if (!(error instanceof SignatureVerificationError)) throw error;
      // Medusa has answered 200 already, so only the log can say it.
      if (error.status !== 200) this.#cradle.logger.warn(`Quittance: a webhook was refused. ${error.message}`);
      return ignored;
    }
    if (event.type !== 'payment.paid') return ignored;
    const payment = await this.#client.payments.retrieve(event.data.id);
    const collection = payment.metadata.medusa_collection;
    if (collection === undefined || payment.status !== 'paid') return ignored;
    const sessions = await this.#cradle.paymentSessionService.list(
      { payment_collection_id: collection },
      { relations: ['payment'] },
    );
    const session = sessions.find(({ data }) => data?.collection === collection);
    // Another method paid, or the customer chose another one: a person looks at the payment in Quittance.
    if (!session || sessions.some((one) => one.payment && one.id !== session.id)) return ignored;
    remember(this.#announced, collection, payment.id);
    return {
      action: PaymentActions.SUCCESSFUL,
      data: { session_id: session.id, amount: new BigNumber(payment.amount) },
    };
  }
}

function remember<T>(remembered: Map<string, T>, key: string, value: T): void {
  remembered.set(key, value);
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
}

/** What the customer reads. Medusa hides the words of other errors. */
function refuse(error: Error): never {
  const reason = error instanceof InvalidRequestError ? error.message : 'Please try again in a minute.';
  throw new MedusaError(MedusaError.Types.NOT_ALLOWED, `The payment could not be started. ${reason}`);
}

function storedOf(data: Record<string, unknown> | undefined): Stored {
  if (typeof data?.id !== 'string')
    throw new MedusaError(MedusaError.Types.INVALID_DATA, 'This is not a session of Quittance.');
  return data as unknown as Stored;
}

/** Medusa's number in units of the currency, as a decimal string. */
function priceOf(amount: BigNumberInput): string {
  return roundedOf(unitsOf(amount));
}

function unitsOf(amount: BigNumberInput): number {
  return new BigNumber(amount).numeric;
}

export default ModuleProvider(Modules.PAYMENT, { services: [QuittancePaymentProvider] });
