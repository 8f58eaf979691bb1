import type { IncomingMessage, ServerResponse } from 'node:http';
import { webhook } from '@quittance/integrations/express';
import { type Injector, Logger, type Middleware } from '@vendure/core';
import { QuittanceAskService } from './ask.ts';
import { configured } from './options.ts';
import { codeIn, RETURN_PATH } from './order.ts';

/** The two addresses of the plugin on the Vendure server. They come before anything that parses bodies. */
export function routes(injector: () => Injector): Middleware[] {
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
