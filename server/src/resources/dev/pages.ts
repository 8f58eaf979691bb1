import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { sendPage } from '../../platform/http/page.ts';
import { indexPage, mailPage, mailsPage, webhookPage, webhooksPage } from './html.ts';
import { readMails } from './mails.ts';
import { Inbox } from './received.ts';
import { isLoopbackAddress, isLoopbackHost } from '../../platform/http/admission/client.ts';

/** A mailbox, and a receiver that verifies webhooks. Development profile only. */
export function registerDevPages(server: FastifyInstance, ctx: Context): void {
  const inbox = new Inbox();
  const folder = join(ctx.config.dataDir, 'mail');
  const style = readFileSync(new URL('./dev.css', import.meta.url), 'utf8');

  // A separate scope without body parsing, because a signature covers the raw bytes.
  server.register(async (scope) => {
    scope.addHook('onRequest', async (request) => refuseOthers(request));
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 256 * 1024 }, (_request, body, done) =>
      done(null, body),
    );

    scope.get('/dev/dev.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style));

    scope.get('/dev', (_request, reply) => sendPage(reply, indexPage()));
    scope.get('/dev/mail', async (_request, reply) => sendPage(reply, mailsPage(await readMails(folder))));
    scope.get<{ Params: { name: string } }>('/dev/mail/:name', async (request, reply) => {
      const mail = (await readMails(folder)).find(({ name }) => name === request.params.name) ?? fail('not_found');
      return sendPage(reply, mailPage(mail));
    });

    scope.get('/dev/webhooks', (_request, reply) => sendPage(reply, webhooksPage(inbox.all())));
    scope.get<{ Params: { id: string } }>('/dev/webhooks/:id', (request, reply) => {
      const received = inbox.find(Number(request.params.id)) ?? fail('not_found');
      return sendPage(reply, webhookPage(received));
    });
    scope.post('/dev/webhooks/receive', async (request, reply) => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const { verdict } = await inbox.receive(
        ctx,
        headers,
        Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      );
      if (!verdict.verified) fail('invalid_signature', { message: verdict.why });
      return reply.send({ received: true });
    });
  });
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/** These pages show login codes, so they answer only requests from this machine that no proxy has forwarded. */
function refuseOthers(request: FastifyRequest): void {
  const isHere = isLoopbackAddress(request.socket.remoteAddress ?? '') && isLoopbackHost(request.headers.host ?? '');
  if (!isHere || FORWARDED.some((name) => request.headers[name] !== undefined)) {
    fail('forbidden', { message: 'Available only in development, from localhost.' });
  }
}
