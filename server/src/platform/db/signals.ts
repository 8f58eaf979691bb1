import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { MINUTE_MS } from '../time.ts';
import type { Database } from './db.ts';

type Listener = (payload: string) => void;
const MIN_RECONNECT_MS = 100;
const MAX_RECONNECT_MS = 5_000;

/**
 * LISTEN and NOTIFY on one separate connection. A signal only saves waiting: it may be lost, and after a lost
 * connection every listener is woken once, in case a signal was missed.
 */
export class Signals implements Pick<Database, 'listen' | 'notify' | 'close'> {
  readonly #url: string;
  readonly #log: Logger;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #waiting = new Map<string, { channel: string; payload: string }>();
  readonly #closing = new AbortController();
  #connected: Promise<pg.Client> | undefined;
  #sending: Promise<void> | undefined;
  #isReconnecting = false;

  constructor({ url, log }: { url: string; log: Logger }) {
    this.#url = url;
    this.#log = log;
  }

  async listen(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const isNew = !this.#listeners.has(channel);
    const listeners = this.#listeners.get(channel) ?? new Set<Listener>();
    this.#listeners.set(channel, listeners.add(listener));
    if (isNew) {
      let client: pg.Client | undefined;
      try {
        client = await this.#connection();
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
      } catch {
        // The end of a connection opens another one, which listens to every channel.
        void (client ? client.end() : this.#reconnect());
      }
    }
    return async () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return;
      this.#listeners.delete(channel);
      const client = await this.#connected?.catch(() => undefined);
      await client?.query(`unlisten ${client.escapeIdentifier(channel)}`).catch(() => {});
    };
  }

  notify(channel: string, payload = ''): void {
    this.#waiting.set(`${channel} ${payload}`, { channel, payload });
    // In the next turn of the event loop, so that signals of the same turn are sent together.
    this.#sending ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#send());
  }

  async close(): Promise<void> {
    await this.#sending;
    this.#closing.abort();
    const client = await this.#connected?.catch(() => undefined);
    await client?.end();
  }

  /** The connection, opened once; a failure clears it for the next try. */
  #connection(): Promise<pg.Client> {
    this.#connected ??= this.#connect().catch((error) => {
      this.#connected = undefined;
      throw error;
    });
    return this.#connected;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: MAX_RECONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: MINUTE_MS,
      pipeline: true,
      application_name: 'quittance signals',
    });
    let usable = false;
    client.on('error', (error) => this.#log.warn({ err: error }, 'signals: database connection lost'));
    client.on('notification', ({ channel, payload }) => this.#wake(channel, payload ?? ''));
    client.once('end', () => {
      if (!usable) return;
      this.#connected = undefined;
      if (this.#listeners.size > 0) void this.#reconnect();
    });
    try {
      await client.connect();
      for (const channel of this.#listeners.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      void client.end();
      throw error;
    }
    usable = true;
    return client;
  }

  async #reconnect(): Promise<void> {
    if (this.#isReconnecting) return;
    this.#isReconnecting = true;
    await this.#connectAgain();
    this.#isReconnecting = false;
  }

  async #connectAgain(): Promise<void> {
    const { signal } = this.#closing;
    for (let wait = MIN_RECONNECT_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_RECONNECT_MS)) {
      try {
        await this.#connection();
        for (const channel of this.#listeners.keys()) this.#wake(channel, '');
        return;
      } catch {
        await delay(wait, undefined, { signal }).catch(() => {});
      }
    }
  }

  #wake(channel: string, payload: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) {
      try {
        listener(payload);
      } catch (error) {
        this.#log.error({ err: error, channel }, 'signal listener failed');
      }
    }
  }

  /** Sends all collected signals in one statement. Failed ones are dropped, because the receivers poll. */
  async #send(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#closing.signal.aborted) {
      const batch = [...this.#waiting.values()];
      this.#waiting.clear();
      try {
        const client = await this.#connection();
        await client.query({
          name: 'signal',
          text: 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as signal (channel, payload)',
          values: [batch.map((signal) => signal.channel), batch.map((signal) => signal.payload)],
        });
      } catch (error) {
        this.#log.debug({ err: error }, 'signals not sent');
      }
    }
    this.#sending = undefined;
  }
}
