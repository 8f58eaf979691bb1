import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base58 } from '@scure/base';
// @ts-expect-error it has no types of its own, and only these few calls are made
import { WebSocketServer } from 'ws';

interface Socket {
  send(text: string): void;
  close(): void;
  on(event: 'message' | 'close', hear: (data: Buffer) => void): void;
}

interface Request {
  id: number;
  method?: string;
  params?: {
    topic: string;
    message: string;
    tag: number;
    ttl: number;
    /** Of `wc_approveSession`, with which newer wallets send two messages at once. */
    pairingTopic: string;
    sessionTopic: string;
    sessionProposalResponse: string;
    sessionSettlementRequest: string;
  };
}

/** A relay of WalletConnect 2 on this machine: it keeps messages by topic and sends each to the topic's subscribers. */
export interface TestRelay extends AsyncDisposable {
  url: string;
  /** The project ids and tags of what came in, in order. */
  projects: string[];
  tags: number[];
  /** Closes every connection, as a relay does that is restarted. */
  drop(): void;
}

export async function startRelay(): Promise<TestRelay> {
  const kept = new Map<string, { message: string; tag: number; from: Socket }[]>();
  const subscribers = new Map<string, Set<Socket>>();
  const sockets = new Set<Socket>();
  const [projects, tags]: [string[], number[]] = [[], []];
  let lastId = Date.now() * 1000;

  const deliver = (socket: Socket, topic: string, { message, tag }: { message: string; tag: number }) =>
    socket.send(
      JSON.stringify({
        id: ++lastId,
        jsonrpc: '2.0',
        method: 'irn_subscription',
        params: { id: topic, data: { topic, message, tag, publishedAt: Date.now() } },
      }),
    );
  const publish = (socket: Socket, topic: string, { message, tag }: { message: string; tag: number }) => {
    tags.push(tag);
    const entry = { message, tag, from: socket };
    kept.set(topic, [...(kept.get(topic) ?? []), entry]);
    for (const one of subscribers.get(topic) ?? []) if (one !== socket) deliver(one, topic, entry);
  };
  const subscribe = (socket: Socket, topic: string) => {
    subscribers.set(topic, (subscribers.get(topic) ?? new Set()).add(socket));
    for (const entry of kept.get(topic) ?? []) if (entry.from !== socket) deliver(socket, topic, entry);
  };
  const answer = (socket: Socket, { id, method, params }: Request) => {
    if (method === undefined || !params) return;
    const { topic, pairingTopic, sessionTopic } = params;
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', result: method === 'irn_subscribe' ? topic : true }));
    if (method === 'irn_publish') publish(socket, topic, params);
    if (method === 'wc_approveSession') {
      publish(socket, pairingTopic, { tag: 1101, message: params.sessionProposalResponse });
      publish(socket, sessionTopic, { tag: 1102, message: params.sessionSettlementRequest });
      subscribe(socket, sessionTopic);
    }
    if (method === 'irn_subscribe') subscribe(socket, topic);
  };

  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const webSockets = new WebSocketServer({ server });
  webSockets.on('connection', (socket: Socket, request: IncomingMessage) => {
    const { searchParams } = new URL(request.url ?? '/', url);
    if (!isSigned(searchParams.get('auth') ?? '', url)) return socket.close();
    projects.push(searchParams.get('projectId') ?? '');
    sockets.add(socket);
    socket.on('message', (data) => answer(socket, JSON.parse(data.toString()) as Request));
    socket.on('close', () => {
      sockets.delete(socket);
      for (const set of subscribers.values()) set.delete(socket);
    });
  });
  return {
    url,
    projects,
    tags,
    drop() {
      for (const socket of sockets) socket.close();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.close();
      webSockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether the token is for this relay and signed by the key that it names. */
function isSigned(token: string, audience: string): boolean {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const { iss, aud, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}');
  if (aud !== audience || exp * 1000 < Date.now()) return false;
  const key = createPublicKey({
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(base58.decode(iss.replace('did:key:z', '')).subarray(2)).toString('base64url'),
    },
    format: 'jwk',
  });
  return verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'));
}
