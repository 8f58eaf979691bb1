import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from './db.ts';

type Listener = (payload: string) => void;
const MIN_RECONNECT_MS = 100;
const MAX_RECONNECT_MS = 5_000;

/**
 * LISTEN and NOTIFY on one separate connection. A signal only saves waiting: it may be lost, and after a lost
 * connection every listener is woken once, in case a signal was missed.
 */
export function openSignals({ url, log }: { url: string; log: Logger }): Pick<Database, 'listen' | 'notify' | 'close'> {
  const listeners = new Map<string, Set<Listener>>();
  const waiting = new Map<string, { channel: string; payload: string }>();
  const closing = new AbortController();
  let connected: Promise<pg.Client> | undefined;
  let sending: Promise<void> | undefined;
  let reconnecting = false;

  /** The connection, opened once; a failure clears it for the next try. */
  function connection(): Promise<pg.Client> {
    connected ??= connect().catch((error) => {
      connected = undefined;
      throw error;
    });
    return connected;
  }

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: MAX_RECONNECT_MS,
      keepAlive: true,
      pipeline: true,
      application_name: 'quittance signals',
    });
    let usable = false;
    client.on('error', (error) => log.warn({ err: error }, 'signals: database connection lost'));
    client.on('notification', ({ channel, payload }) => wake(channel, payload ?? ''));
    client.once('end', () => {
      if (!usable) return;
      connected = undefined;
      if (listeners.size > 0) void reconnect();
    });
    await client.connect();
    for (const channel of listeners.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    usable = true;
    return client;
  }

  async function reconnect(): Promise<void> {
    if (reconnecting) return;
    reconnecting = true;
    await connectAgain();
    reconnecting = false;
  }

  async function connectAgain(): Promise<void> {
    for (let wait = MIN_RECONNECT_MS; !closing.signal.aborted; wait = Math.min(wait * 2, MAX_RECONNECT_MS)) {
      try {
        await connection();
        for (const channel of listeners.keys()) wake(channel, '');
        return;
      } catch {
        await delay(wait, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  function wake(channel: string, payload: string): void {
    for (const hear of listeners.get(channel) ?? []) {
      try {
        hear(payload);
      } catch (error) {
        log.error({ err: error, channel }, 'signal listener failed');
      }
    }
  }

  /** Sends all collected signals in one statement. Failed ones are dropped, because the receivers poll. */
  async function send(): Promise<void> {
    while (waiting.size > 0 && !closing.signal.aborted) {
      const batch = [...waiting.values()];
      waiting.clear();
      try {
        const client = await connection();
        await client.query(
          'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as signal (channel, payload)',
          [batch.map((signal) => signal.channel), batch.map((signal) => signal.payload)],
        );
      } catch (error) {
        log.debug({ err: error }, 'signals not sent');
      }
    }
    sending = undefined;
  }

  return {
    async listen(channel, hear) {
      const isNew = !listeners.has(channel);
      const hearers = listeners.get(channel) ?? new Set<Listener>();
      listeners.set(channel, hearers.add(hear));
      if (isNew) {
        try {
          const client = await connection();
          await client.query(`listen ${client.escapeIdentifier(channel)}`);
        } catch {
          void reconnect();
        }
      }
      return async () => {
        hearers.delete(hear);
        if (hearers.size > 0 || listeners.get(channel) !== hearers) return;
        listeners.delete(channel);
        const client = await connected?.catch(() => undefined);
        await client?.query(`unlisten ${client.escapeIdentifier(channel)}`).catch(() => {});
      };
    },
    notify(channel, payload = '') {
      waiting.set(`${channel} ${payload}`, { channel, payload });
      // In the next turn of the event loop, so that signals of the same turn are sent together.
      sending ??= new Promise<void>((resolve) => setImmediate(resolve)).then(send);
    },
    async close() {
      await sending;
      closing.abort();
      const client = await connected?.catch(() => undefined);
      await client?.end();
    },
  };
}
