import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { base58, base64urlnopad } from '@scure/base';
import { randomBytes } from './envelope.ts';

// The relay of WalletConnect 2: https://specs.walletconnect.com/2.0/specs/servers/relay/relay-server-rpc

const DAY_SECONDS = 86_400;
const AGAIN_MS = 1_000;
/** The multicodec of an Ed25519 public key. */
const ED25519_PREFIX = [0xed, 0x01];

interface RelayMessage {
  id: number;
  method?: string;
  params?: { data: { topic: string; message: string } };
  result?: unknown;
  error?: { message: string };
}

interface Call {
  body: string;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** Passes sealed messages between this page and a wallet. It learns who talks when, and nothing of the content. */
export class Relay {
  readonly #url: string;
  readonly #projectId: string;
  readonly #secretKey = randomBytes(32);
  readonly #calls = new Map<number, Call>();
  readonly #topics = new Map<string, (message: string) => void>();
  readonly #closing = Promise.withResolvers<never>();
  #socket: WebSocket | undefined;
  #isClosed = false;
  #lastId = 0;

  constructor(url: string, projectId: string) {
    this.#url = url;
    this.#projectId = projectId;
    this.#open();
  }

  /** Rejects when nothing can come any more. */
  get closed(): Promise<never> {
    return this.#closing.promise;
  }

  /** Messages that were sent to the topic before arrive too. */
  async subscribe(topic: string, onMessage: (message: string) => void): Promise<void> {
    this.#topics.set(topic, onMessage);
    await this.#call('irn_subscribe', { topic });
  }

  async publish(topic: string, message: string, how: { tag: number; ttl: number; prompt?: boolean }): Promise<void> {
    await this.#call('irn_publish', { topic, message, ...how });
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.close();
    for (const { reject } of this.#calls.values()) reject(new Error('closed'));
    this.#calls.clear();
    this.#closing.promise.catch(() => undefined);
    this.#closing.reject(new Error('closed'));
  }

  #open(): void {
    const socket = new WebSocket(`${this.#url}/?auth=${this.#token()}&projectId=${this.#projectId}`);
    this.#socket = socket;
    socket.onopen = () => {
      // After a lost connection the relay knows neither the topics nor the calls that it had not answered.
      for (const topic of this.#topics.keys())
        this.#send({ id: this.#nextId(), method: 'irn_subscribe', params: { topic } });
      for (const { body } of this.#calls.values()) socket.send(body);
    };
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)) as RelayMessage);
    socket.onclose = () => {
      if (!this.#isClosed) setTimeout(() => this.#isClosed || this.#open(), AGAIN_MS);
    };
  }

  #receive(message: RelayMessage): void {
    if (message.method === 'irn_subscription' && message.params) {
      this.#send({ id: message.id, result: true });
      const { topic, message: text } = message.params.data;
      this.#topics.get(topic)?.(text);
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.error) call?.reject(new Error(message.error.message));
    else call?.resolve(message.result);
  }

  #call(method: string, params: object): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('closed'));
    const id = this.#nextId();
    const body = JSON.stringify({ id, jsonrpc: '2.0', method, params });
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { body, resolve, reject });
      if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(body);
    });
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #nextId(): number {
    this.#lastId = nextId(this.#lastId);
    return this.#lastId;
  }

  /** Proves to the relay that one client is talking, by a key that lives as long as this page. */
  #token(): string {
    const now = Math.floor(Date.now() / 1000);
    const encode = (part: object) => base64urlnopad.encode(new TextEncoder().encode(JSON.stringify(part)));
    const publicKey = ed25519.getPublicKey(this.#secretKey);
    const content = [
      encode({ alg: 'EdDSA', typ: 'JWT' }),
      encode({
        iss: `did:key:z${base58.encode(Uint8Array.of(...ED25519_PREFIX, ...publicKey))}`,
        sub: bytesToHex(randomBytes(32)),
        aud: this.#url,
        iat: now,
        exp: now + DAY_SECONDS,
      }),
    ].join('.');
    const signature = ed25519.sign(new TextEncoder().encode(content), this.#secretKey);
    return `${content}.${base64urlnopad.encode(signature)}`;
  }
}

/** Ids are unique among both sides, so they contain the time. */
export function nextId(last: number): number {
  return Math.max(last + 1, Date.now() * 1000 + Math.floor(Math.random() * 1000));
}
