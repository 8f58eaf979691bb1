import { bytesToHex } from '@noble/hashes/utils.js';
import { newKeyPair, randomBytes, seal, sharedKey, topicOf, unseal } from './envelope.ts';
import { nextId, Relay } from './relay.ts';

// A session of WalletConnect 2, from the side of the page: https://specs.walletconnect.com/2.0/specs/clients/sign

const FIVE_MINUTES = 300;
/** For the relay to take part. The wallet's owner has minutes. */
const RELAY_SECONDS = 30;
const DAY_SECONDS = 86_400;
/** The relay forwards by these what a message is. An answer has the tag after its request's. */
const TAGS: Record<string, { tag: number; ttl: number; prompt?: boolean }> = {
  wc_sessionPropose: { tag: 1100, ttl: FIVE_MINUTES, prompt: true },
  wc_sessionSettle: { tag: 1102, ttl: FIVE_MINUTES },
  wc_sessionUpdate: { tag: 1104, ttl: DAY_SECONDS },
  wc_sessionExtend: { tag: 1106, ttl: DAY_SECONDS },
  wc_sessionRequest: { tag: 1108, ttl: FIVE_MINUTES, prompt: true },
  wc_sessionEvent: { tag: 1110, ttl: FIVE_MINUTES },
  wc_sessionDelete: { tag: 1112, ttl: DAY_SECONDS },
  wc_sessionPing: { tag: 1114, ttl: 30 },
};
const METHODS = ['eth_sendTransaction', 'personal_sign'];
const EVENTS = ['chainChanged', 'accountsChanged'];

export interface WalletConnectOptions {
  relayUrl: string;
  projectId: string;
  chainId: number;
  /** What the wallet shows of this page. */
  metadata: { name: string; description: string; url: string; icons: string[] };
  /** Shows the customer what their wallet has to scan. */
  show: (uri: string) => void;
  /** Ends the wait for a wallet. */
  signal: AbortSignal;
}

export interface WalletConnectSession {
  account: string;
  request(method: string, params: unknown): Promise<unknown>;
  end(): Promise<void>;
}

interface Message {
  id: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

interface Settlement {
  namespaces: Record<string, { accounts: string[] } | undefined>;
}

/** Waits until a wallet has scanned the code and its owner has agreed. Throws the wallet's refusal. */
export async function connectWallet(options: WalletConnectOptions): Promise<WalletConnectSession> {
  const { chainId, metadata } = options;
  options.signal.throwIfAborted();
  const relay = new Relay(options.relayUrl, options.projectId);
  const stop = () => relay.close();
  options.signal.addEventListener('abort', stop);
  try {
    const pairingKey = randomBytes(32);
    const { secretKey, publicKey } = newKeyPair();
    const pairing = await openChannel(relay, pairingKey, () => undefined);
    const expiryTimestamp = Math.floor(Date.now() / 1000) + FIVE_MINUTES;
    options.show(
      `wc:${pairing.topic}@2?relay-protocol=irn&symKey=${bytesToHex(pairingKey)}&expiryTimestamp=${expiryTimestamp}`,
    );
    const answer = (await withTimeout(
      pairing.request('wc_sessionPropose', {
        requiredNamespaces: {},
        optionalNamespaces: { eip155: { chains: [`eip155:${chainId}`], methods: METHODS, events: EVENTS } },
        relays: [{ protocol: 'irn' }],
        pairingTopic: pairing.topic,
        expiryTimestamp,
        proposer: { publicKey, metadata },
      }),
    )) as { responderPublicKey: string };
    return await settle(relay, sharedKey(secretKey, answer.responderPublicKey), chainId);
  } catch (error) {
    relay.close();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

/** The wallet says which accounts it shares. */
async function settle(relay: Relay, key: Uint8Array, chainId: number): Promise<WalletConnectSession> {
  const { promise: settled, resolve, reject } = Promise.withResolvers<Settlement>();
  let isEnded = false;
  const channel = await openChannel(relay, key, ({ method, params }) => {
    if (method === 'wc_sessionSettle') resolve(params as Settlement);
    if (method === 'wc_sessionDelete') {
      isEnded = true;
      reject(new Error('The wallet ended the session.'));
    }
  });
  relay.closed.catch(reject);
  const { namespaces } = await withTimeout(settled);
  const prefix = `eip155:${chainId}:`;
  const account = namespaces.eip155?.accounts.find((one) => one.startsWith(prefix))?.slice(prefix.length);
  const end = async () => {
    if (!isEnded) {
      isEnded = true;
      await channel.notify('wc_sessionDelete', { code: 6000, message: 'User disconnected.' }).catch(() => undefined);
    }
    relay.close();
  };
  if (!account) {
    await end();
    // EIP-1193's code of a chain that the wallet does not have.
    throw Object.assign(new Error('The wallet shared no account of this network.'), { code: 4902 });
  }
  return {
    account,
    end,
    request: (method, params) =>
      withTimeout(
        channel.request('wc_sessionRequest', {
          chainId: `eip155:${chainId}`,
          request: { method, params, expiryTimestamp: Math.floor(Date.now() / 1000) + FIVE_MINUTES },
        }),
      ),
  };
}

interface Channel {
  topic: string;
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
}

/** Requests and answers of two sides that share a key. Requests of the wallet are confirmed and passed on. */
async function openChannel(relay: Relay, key: Uint8Array, onMessage: (message: Message) => void): Promise<Channel> {
  const topic = topicOf(key);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  const send = (message: object, how: { tag: number; ttl: number; prompt?: boolean }) =>
    relay.publish(topic, seal(key, { jsonrpc: '2.0', ...message }), how);
  const notify = async (method: string, params: unknown, id = nextId(lastId)) => {
    lastId = id;
    await send({ id, method, params }, TAGS[method] as { tag: number; ttl: number });
  };

  const subscribed = relay.subscribe(topic, (envelope) => {
    let message: Message;
    try {
      message = unseal(key, envelope) as Message;
    } catch {
      // Anyone who knows the topic may send anything.
      return;
    }
    if (message.method !== undefined) {
      const known = TAGS[message.method];
      // A relay that is gone gets no confirmation, and the wallet asks again.
      if (known)
        send({ id: message.id, result: true }, { ...known, tag: known.tag + 1, prompt: false }).catch(() => {});
      onMessage(message);
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) call?.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    else call?.resolve(message.result);
  });
  await withTimeout(subscribed, RELAY_SECONDS);
  return {
    topic,
    notify: (method, params) => notify(method, params),
    async request(method, params) {
      const id = nextId(lastId);
      const call = Promise.withResolvers<unknown>();
      waiting.set(id, call);
      relay.closed.catch(call.reject);
      await notify(method, params, id);
      return call.promise;
    },
  };
}

function withTimeout<T>(promise: Promise<T>, seconds = FIVE_MINUTES): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('There was no answer.')), seconds * 1000);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
