import { parseArgs } from 'node:util';
import { ConnectionError, type Event } from '@quittance/sdk';
import { type Command, EXIT } from '../command.ts';
import { type Forwarded, forward, isAccepted, reasonOf, receiverAddress } from '../forward.ts';
import { secretKey, serviceUrl, SHARED_OPTIONS } from '../profile.ts';
import { type StreamEnd, follow } from '../stream.ts';
import { colored, print, say, type Terminal } from '../terminal.ts';

const RECONNECT_MS = 2_000;
/** More than an account has in the few seconds that are sent again. */
const MAX_RECENT = 1_000;
const EVENT_WIDTH = 'payment.refund_required'.length;

/** Forwards the account's events to a receiver on this machine without a tunnel, signed like real deliveries. */
export const listen: Command = {
  name: 'listen',
  usage: 'quittance listen [--forward-to URL] [--events payment.paid,…] [--print-secret] [--live] [--json]',
  summary: 'Forward signed webhook events to a local server.',
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: {
        ...SHARED_OPTIONS,
        'forward-to': { type: 'string' },
        events: { type: 'string' },
        'print-secret': { type: 'boolean', default: false },
      },
    });
    const target = receiverAddress(values['forward-to']);
    const wanted = values.events?.split(',').map((type) => type.trim());
    const service = await serviceUrl(terminal, values);
    const key = await secretKey(terminal, values);

    let secret = '';
    let lastId: string | undefined;
    const isRepeated = createRecent();
    while (!terminal.signal?.aborted) {
      const ended = await follow({ service, key, lastId }, terminal, async (message) => {
        if (message.event === 'ready') {
          const isFirst = secret === '';
          secret = (JSON.parse(message.data) as { signing_secret: string }).signing_secret;
          if (values['print-secret']) {
            print(terminal, secret);
            return 'stop';
          }
          if (isFirst)
            say(
              terminal,
              `Ready${target ? `, forwarding to ${target}` : ''}. Your webhook signing secret is ` +
                `${secret} (it stays the same for this key). Press Ctrl-C to stop.`,
            );
          return 'on';
        }
        const event = JSON.parse(message.data) as Event;
        if (isRepeated(event.id)) return 'on';
        // A repeated event lies before the one that the stream continues after.
        lastId = message.id ?? lastId;
        if (wanted && !wanted.includes(event.type)) return 'on';
        const forwarded = target ? await forward(target, event.id, message.data, secret) : undefined;
        print(terminal, values.json ? jsonLine(event, target, forwarded) : line(terminal, event, forwarded));
        return 'on';
      });
      if (ended.how === 'stopped') return EXIT.ok;
      if (ended.how === 'refused') {
        say(terminal, ended.message);
        return ended.status === 401 || ended.status === 403 ? EXIT.authentication : EXIT.failed;
      }
      if (terminal.signal?.aborted) break;
      if (secret === '') throw new ConnectionError(`${service} is unreachable: ${reasonFor(ended)}`);
      say(terminal, `Connection lost (${reasonFor(ended)}). Reconnecting${lastId ? '; no events are lost' : ''}.`);
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
    return EXIT.ok;
  },
};

/** After a lost connection the service sends the last seconds again. Whether an event is among the last ones. */
function createRecent(): (id: string) => boolean {
  const ids = new Set<string>();
  return (id) => {
    if (ids.has(id)) return true;
    ids.add(id);
    if (ids.size > MAX_RECENT) ids.delete(ids.values().next().value as string);
    return false;
  };
}

function reasonFor(ended: Extract<StreamEnd, { how: 'broken' }>): string {
  return typeof ended.reason === 'string' ? ended.reason : reasonOf(ended.reason);
}

/**
 * `14:07:31 ✓ 200 payment.paid  49.00 USD  order-1042  pay_… (12 ms)`: local time, then the receiver's answer. What a
 * receiver says when it refuses is on the next line.
 */
function line(terminal: Terminal, { created, type, data }: Event, forwarded: Forwarded | undefined): string {
  const time = new Date(created).toLocaleTimeString('en-GB');
  const rest = [`${data.amount} ${data.currency}`, data.order_id, data.id].filter(Boolean).join('  ');
  const event = `${type.padEnd(EVENT_WIDTH)} ${rest}`;
  if (!forwarded) return `${colored(terminal, 'dim', time)} • ${event}`;
  const { answer, said, durationMs } = forwarded;
  const [color, sign] = isAccepted(answer) ? (['green', '✓'] as const) : (['red', '✗'] as const);
  const result = colored(terminal, color, `${sign} ${answer}`);
  const reply = said ? `\n${' '.repeat(time.length)}   ${said}` : '';
  return `${colored(terminal, 'dim', time)} ${result} ${event} ${colored(terminal, 'dim', `(${durationMs} ms)`)}${reply}`;
}

function jsonLine(event: Event, target: string | undefined, forwarded: Forwarded | undefined): string {
  return JSON.stringify({
    event,
    forwarded_to: target ?? null,
    answer: forwarded?.answer ?? null,
    duration_ms: forwarded?.durationMs ?? null,
  });
}
