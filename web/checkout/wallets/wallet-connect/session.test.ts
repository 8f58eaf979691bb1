import { hexToBytes } from '@noble/hashes/utils.js';
import { afterEach, expect, test, vi } from 'vitest';
import { newKeyPair, seal, unseal } from './envelope.ts';
import { connectWallet } from './session.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface Request {
  id: number;
  method?: string;
  params?: { topic: string; message: string };
}

/** A relay that says what `answer` returns. Returns its sockets. */
function stubRelay(answer: (request: Request) => object[]) {
  const sockets: { isClosed: boolean }[] = [];
  vi.stubGlobal(
    'WebSocket',
    class {
      static OPEN = 1;
      readyState = 1;
      isClosed = false;
      onmessage?: (event: { data: string }) => void;
      constructor() {
        sockets.push(this);
      }
      send(text: string) {
        for (const one of answer(JSON.parse(text))) this.onmessage?.({ data: JSON.stringify(one) });
      }
      close() {
        this.isClosed = true;
      }
    },
  );
  return sockets;
}

const connect = (show: (uri: string) => void, signal = new AbortController().signal) =>
  connectWallet({
    relayUrl: 'wss://relay.example.com',
    projectId: 'project',
    chainId: 1,
    metadata: { name: 'Fern & Fog', description: '', url: '', icons: [] },
    signal,
    show,
  }).catch((error: unknown) => error);

test('who has left before the relay is opened opens none', async () => {
  const sockets = stubRelay(() => []);
  expect(await connect(() => undefined, AbortSignal.abort())).toBeInstanceOf(Error);
  expect(sockets).toEqual([]);
});

test('a relay that never answers is waited for half a minute', async () => {
  vi.useFakeTimers();
  const sockets = stubRelay(() => []);
  const show = vi.fn();
  const connected = connect(show);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await connected).toBeInstanceOf(Error);
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true]);
  expect(show).not.toHaveBeenCalled();
});

test('a relay that does not answer any more after the scan is waited for half a minute', async () => {
  vi.useFakeTimers();
  let key = new Uint8Array();
  let subscriptions = 0;
  const sockets = stubRelay(({ id, method, params: { topic, message } = { topic: '', message: '' } }) => {
    if (method === 'irn_subscribe') return ++subscriptions === 1 ? [{ id, result: topic }] : [];
    if (method !== 'irn_publish') return [];
    const proposal = unseal(key, message) as { id: number };
    const agreed = { id: proposal.id, result: { responderPublicKey: newKeyPair().publicKey } };
    const data = { topic, message: seal(key, agreed) };
    return [
      { id, result: true },
      { id: 1, method: 'irn_subscription', params: { data } },
    ];
  });
  const connected = connect((uri) => {
    key = hexToBytes(/symKey=([0-9a-f]+)/.exec(uri)?.[1] ?? '');
  });
  await vi.waitUntil(() => subscriptions === 2);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await connected).toBeInstanceOf(Error);
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([true]);
});
