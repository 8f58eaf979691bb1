import { parseArgs } from 'node:util';
import type { AnyEvent, Quittance } from '@quittance/sdk';
import { type Command, EXIT, UsageError } from '../command.ts';
import { forward, isAccepted, receiverAddress } from '../forward.ts';
import { client, secretKey, type SharedValues, serviceUrl, SHARED_OPTIONS } from '../profile.ts';
import { listeningSecret } from '../stream.ts';
import { print, type Terminal } from '../terminal.ts';

export const events: Command = {
  name: 'events',
  usage: 'quittance events [--type payment.paid] [--limit 20] [--live] [--json]',
  summary: 'List the latest events.',
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: { ...SHARED_OPTIONS, type: { type: 'string' }, limit: { type: 'string', default: '20' } },
    });
    const limit = Number(values.limit);
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number of at least 1.');
    const quittance = await client(terminal, values);
    const found = await quittance.events
      .list({ limit: Math.min(limit, 100), ...(values.type && { type: values.type as AnyEvent['type'] }) })
      .toArray({ limit });
    for (const event of found)
      print(
        terminal,
        values.json
          ? JSON.stringify(event)
          : `${event.created}  ${event.type.padEnd(24)} ${event.data.id}  ${event.id}`,
      );
    return undefined;
  },
};

/** Sends an event again: to its endpoints, or to a receiver on this machine. */
export const resend: Command = {
  name: 'events resend',
  usage: 'quittance events resend EVENT_ID [--endpoint we_… | --forward-to URL] [--live] [--json]',
  summary: 'Redeliver an event.',
  async run(args, terminal) {
    const {
      values,
      positionals: [id, ...more],
    } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...SHARED_OPTIONS, endpoint: { type: 'string' }, 'forward-to': { type: 'string' } },
    });
    if (!id || more.length > 0) throw new UsageError('Event ID missing. Pass one, such as evt_….');
    const target = receiverAddress(values['forward-to']);
    if (target && values.endpoint)
      throw new UsageError('--endpoint and --forward-to cannot be combined. Pass one of them.');
    const quittance = await client(terminal, values);
    const event = await quittance.events.retrieve(id);
    if (target) return resendHere(event, target, values, terminal);
    await redeliver(quittance, event, values, terminal);
    return undefined;
  },
};

async function resendHere(event: AnyEvent, target: string, values: SharedValues, terminal: Terminal): Promise<number> {
  const secret = await listeningSecret(await serviceUrl(terminal, values), await secretKey(terminal, values), terminal);
  const { answer, durationMs } = await forward(target, event.id, JSON.stringify(event), secret);
  print(
    terminal,
    values.json
      ? JSON.stringify({ event, forwarded_to: target, answer, duration_ms: durationMs })
      : `${event.id}  → ${answer} (${durationMs} ms)`,
  );
  return isAccepted(answer) ? EXIT.ok : EXIT.failed;
}

async function redeliver(
  quittance: Quittance,
  event: AnyEvent,
  values: SharedValues & { endpoint?: string },
  terminal: Terminal,
): Promise<void> {
  let sent = 0;
  for await (const endpoint of quittance.webhookEndpoints.list({ limit: 100 })) {
    if (values.endpoint && endpoint.id !== values.endpoint) continue;
    const delivery = await deliveryOf(quittance, endpoint.id, event);
    if (!delivery) continue;
    const again = await quittance.webhookDeliveries.redeliver(delivery.id);
    print(terminal, values.json ? JSON.stringify(again) : `${again.id}  ${endpoint.url}`);
    sent++;
  }
  if (sent === 0)
    throw new Error('No endpoint is subscribed to this event. To send it to a local server, pass --forward-to URL.');
}

async function deliveryOf(quittance: Quittance, endpointId: string, event: AnyEvent) {
  for await (const delivery of quittance.webhookEndpoints.deliveries(endpointId, { limit: 100 })) {
    if (delivery.event_id === event.id) return delivery;
    // Newest first: the rest belongs to older events.
    if (delivery.created_at < event.created) return undefined;
  }
  return undefined;
}
