import { parseArgs } from 'node:util';
import { createParser } from 'eventsource-parser';
import { generateTestHeader, type Event } from '@quittance/sdk';
import { secretKey, serviceUrl, SHARED_OPTIONS } from '../profile.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { print, say, type Terminal } from '../terminal.ts';

const FORWARD_TIMEOUT_MS = 10_000;
const RECONNECT_MS = 2_000;

/** Brings the account's events to a receiver on this machine, signed as real deliveries are, without a tunnel. */
export const listen: Command = {
  name: 'listen',
  usage: 'quittance listen [--forward-to URL] [--events payment.paid,…] [--print-secret] [--json]',
  summary: 'Forward events to a receiver on this machine, signed.',
  async run(args, terminal) {
    const { values } = parseArgs({
      args, options: { ...SHARED_OPTIONS, 'forward-to': { type: 'string' }, events: { type: 'string' }, 'print-secret': { type: 'boolean', default: false } },
    });
    const target = values['forward-to'];
    if (target !== undefined && !URL.canParse(target)) throw new UsageError(`--forward-to must be an address like http://localhost:4000/webhooks, not "${target}"`);
    const wanted = values.events?.split(',').map((type) => type.trim());
    const address = `${await serviceUrl(terminal, values)}/v1/events/stream`;
    const key = await secretKey(terminal, values);

    let secret = '';
    let lastId: string | undefined;
    while (!terminal.signal?.aborted) {
      const ended = await follow(address, key, lastId, terminal, async (message) => {
        if (message.event === 'ready') {
          const isFirst = secret === '';
          secret = (JSON.parse(message.data) as { signing_secret: string }).signing_secret;
          if (values['print-secret']) {
            print(terminal, secret);
            return 'stop';
          }
          if (isFirst) say(terminal, `Ready. Your webhook signing secret is ${secret} (it stays the same). Ctrl-C ends.`);
          return 'on';
        }
        lastId = message.id ?? lastId;
        const event = JSON.parse(message.data) as Event;
        if (!wanted || wanted.includes(event.type)) await deliver(event, message.data, secret, target, values.json, terminal);
        return 'on';
      });
      if (ended.how === 'stopped') return EXIT.ok;
      if (ended.how === 'refused') {
        say(terminal, `The service refused the key (${ended.status}).`);
        return EXIT.authentication;
      }
      if (terminal.signal?.aborted) break;
      say(terminal, `The connection broke (${ended.reason}). Connecting again; nothing is missed.`);
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
    return EXIT.ok;
  },
};

interface Message {
  id?: string | undefined;
  event?: string | undefined;
  data: string;
}

type Ended = { how: 'stopped' } | { how: 'refused'; status: number } | { how: 'broken'; reason: string };

/** Reads the stream, one message after the other, until it ends. */
async function follow(address: string, key: string, lastId: string | undefined, terminal: Terminal, take: (message: Message) => Promise<'on' | 'stop'>): Promise<Ended> {
  const stop = new AbortController();
  const signal = terminal.signal ? AbortSignal.any([terminal.signal, stop.signal]) : stop.signal;
  try {
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) },
      signal,
    });
    if (response.status === 401 || response.status === 403) return { how: 'refused', status: response.status };
    if (!response.ok || !response.body) return { how: 'broken', reason: `status ${response.status}` };

    const waiting: Message[] = [];
    const parser = createParser({ onEvent: (message) => { waiting.push(message); } });
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      parser.feed(text);
      for (const message of waiting.splice(0)) {
        if ((await take(message)) === 'stop') {
          stop.abort();
          return { how: 'stopped' };
        }
      }
    }
    return { how: 'broken', reason: 'it was closed' };
  } catch (error) {
    return terminal.signal?.aborted ? { how: 'stopped' } : { how: 'broken', reason: (error as Error).message };
  }
}

/** One event to the receiver, and a line about it. */
async function deliver(event: Event, body: string, secret: string, target: string | undefined, json: boolean, terminal: Terminal): Promise<void> {
  const started = performance.now();
  let answer: number | string | null = null;
  if (target) {
    answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'service-signature': await generateTestHeader(body, secret) },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    }).then((response) => response.status, (error: Error) => error.message);
  }
  const durationMs = Math.round(performance.now() - started);
  if (json) print(terminal, JSON.stringify({ event, forwarded_to: target ?? null, answer, duration_ms: target ? durationMs : null }));
  else print(terminal, `${event.created}  ${event.type.padEnd(24)} ${event.data.id}  ${event.id}${target ? `  → ${answer} (${durationMs} ms)` : ''}`);
}
