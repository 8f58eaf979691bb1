import { parseArgs } from 'node:util';
import { client, SHARED_OPTIONS } from '../profile.ts';
import { type Command, UsageError } from '../command.ts';
import { print } from '../terminal.ts';

export const events: Command = {
  name: 'events',
  usage: 'quittance events [--type payment.paid] [--limit 20] [--json]',
  summary: 'List the newest events.',
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: { ...SHARED_OPTIONS, type: { type: 'string' }, limit: { type: 'string', default: '20' } } });
    const limit = Number(values.limit);
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit is a whole number of at least 1.');
    const quittance = await client(terminal, values);
    const found = await quittance.events.list({ limit: Math.min(limit, 100), ...(values.type && { type: values.type as 'payment.paid' }) }).toArray({ limit });
    for (const event of found) print(terminal, values.json ? JSON.stringify(event) : `${event.created}  ${event.type.padEnd(24)} ${event.data.id}  ${event.id}`);
    return undefined;
  },
};

/** Sends an event again to the endpoints that were to have it. */
export const resend: Command = {
  name: 'events resend',
  usage: 'quittance events resend EVENT_ID [--endpoint we_…] [--json]',
  summary: 'Deliver an event again.',
  async run(args, terminal) {
    const { values, positionals: [id, ...more] } = parseArgs({ args, allowPositionals: true, options: { ...SHARED_OPTIONS, endpoint: { type: 'string' } } });
    if (!id || more.length > 0) throw new UsageError('Which event? Give one id, evt_….');
    const quittance = await client(terminal, values);
    await quittance.events.retrieve(id);
    let sent = 0;
    for await (const endpoint of quittance.webhookEndpoints.list({ limit: 100 })) {
      if (values.endpoint && endpoint.id !== values.endpoint) continue;
      for await (const delivery of quittance.webhookEndpoints.deliveries(endpoint.id, { limit: 100 })) {
        if (delivery.event_id !== id) continue;
        const again = await quittance.webhookDeliveries.redeliver(delivery.id);
        print(terminal, values.json ? JSON.stringify(again) : `${again.id}  ${endpoint.url}`);
        sent++;
        break;
      }
    }
    if (sent === 0) throw new Error('No endpoint was to have this event.');
    return undefined;
  },
};
