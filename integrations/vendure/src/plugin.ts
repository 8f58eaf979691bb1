import {
  ConfigService,
  Ctx,
  Injector,
  PluginCommonModule,
  type RequestContext,
  ScheduledTask,
  type Type,
  VendurePlugin,
  Logger,
  type Middleware,
} from '@vendure/core';
import { Inject } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Args, Mutation, Resolver } from '@nestjs/graphql';
import { parse } from 'graphql';
import { QuittanceAskService } from './ask.ts';
import { type CheckoutAnswer, QuittanceCheckoutService } from './checkout.ts';
import { quittanceHandler } from './handler.ts';
import { configure, type QuittanceOptions, configured } from './options.ts';
import { QuittanceSession } from './session.ts';
import { QuittanceSettleService } from './settle.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { webhook } from '@quittance/integrations/express';
import { codeIn, RETURN_PATH } from './order.ts';

export type { QuittanceOptions } from './options.ts';

const SCHEMA = parse(`
  type QuittanceCheckout {
    sessionId: String!
    "Send the customer here."
    checkoutUrl: String!
  }
  type QuittanceCheckoutError implements ErrorResult {
    errorCode: ErrorCode!
    message: String!
  }
  union QuittanceCheckoutResult = QuittanceCheckout | QuittanceCheckoutError
  extend type Mutation {
    "Opens a checkout for the active order, which is in ArrangingPayment. Called again, it returns the same one."
    createQuittanceCheckout(paymentMethodCode: String!): QuittanceCheckoutResult!
  }
`);

@Resolver()
class QuittanceResolver {
  readonly #checkout: QuittanceCheckoutService;

  constructor(@Inject(QuittanceCheckoutService) checkout: QuittanceCheckoutService) {
    this.#checkout = checkout;
  }

  @Mutation()
  createQuittanceCheckout(
    @Ctx() ctx: RequestContext,
    @Args('paymentMethodCode') method: string,
  ): Promise<CheckoutAnswer> {
    return this.#checkout.open(ctx, method);
  }
}

/** Runs where the shop runs its scheduled tasks: finds what no webhook brought. */
const askTask = new ScheduledTask({
  id: 'quittance-ask',
  description: 'Asks Quittance about payments and refunds that are open',
  schedule: (cron) => cron.every(5).minutes(),
  execute: async ({ injector }) => ({ asked: await injector.get(QuittanceAskService).aboutAll() }),
});

let started: Injector | undefined;
function injector(): Injector {
  if (started === undefined) throw new Error('Vendure has not started.');
  return started;
}

/**
 * Quittance as a payment method.
 *
 * @example
 * plugins: [QuittancePlugin.init({ key, baseUrl, webhookSecret, serverUrl, returnUrl })]
 */
@VendurePlugin({
  imports: [PluginCommonModule],
  compatibility: '^3.7.0',
  entities: [QuittanceSession],
  providers: [QuittanceCheckoutService, QuittanceSettleService, QuittanceAskService],
  shopApiExtensions: { schema: SCHEMA, resolvers: [QuittanceResolver] },
  configuration(config) {
    config.paymentOptions.paymentMethodHandlers.push(quittanceHandler);
    // A refund that waits for its customer begins as it was made, which Vendure takes for a step of its own.
    const waits = { transitions: { Pending: { to: ['Pending'] } } };
    config.paymentOptions.refundProcess = [...(config.paymentOptions.refundProcess ?? []), waits];
    config.apiOptions.middleware.push(...routes(injector));
    config.schedulerOptions.tasks?.push(askTask);
    return config;
  },
})
export class QuittancePlugin {
  readonly #modules: ModuleRef;

  constructor(@Inject(ModuleRef) modules: ModuleRef) {
    this.#modules = modules;
  }

  static init(options: QuittanceOptions): Type<QuittancePlugin> {
    configure(options);
    return QuittancePlugin;
  }

  onApplicationBootstrap(): void {
    started = new Injector(this.#modules);
    const { precision = 2 } = started.get(ConfigService).entityOptions.moneyStrategy;
    if (precision !== 2)
      throw new Error(`QuittancePlugin charges cents: it needs a money strategy of precision 2, not ${precision}.`);
  }
}

/** The two addresses of the plugin on the Vendure server. They come before anything that parses bodies. */
function routes(injector: () => Injector): Middleware[] {
  return [
    { route: '/quittance/webhooks', handler: receive(injector), beforeListen: true },
    { route: RETURN_PATH, handler: sendOn(injector), beforeListen: true },
  ];
}

function receive(injector: () => Injector) {
  let handle: ReturnType<typeof webhook> | undefined;
  return async (request: IncomingMessage, response: ServerResponse) => {
    handle ??= webhook({
      secret: configured().options.webhookSecret,
      onEvent: (event) => injector().get(QuittanceAskService).afterEvent(event),
      // The service delivers the event again.
      onError: (error) => Logger.error(`An event was not handled: ${error}`, 'Quittance'),
    });
    await handle(request as Parameters<typeof handle>[0], response);
  };
}

/** A customer who has paid comes back, perhaps before the webhook. They go on whatever the service says. */
function sendOn(injector: () => Injector) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const code = codeIn(request.url);
    if (code === undefined) return void response.writeHead(404).end();
    try {
      await injector().get(QuittanceAskService).aboutOrder(code);
    } catch (error) {
      Logger.error(`Order ${code} could not be asked about: ${error}`, 'Quittance');
    }
    const location = configured().options.returnUrl.replaceAll('{order}', encodeURIComponent(code));
    response.writeHead(303, { location, 'cache-control': 'no-store' }).end();
  };
}
