import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { listen, serve } from '../../support/listen.ts';

/** A receiver with unusual behavior, and the expected verdict. */
export interface ReceiverBehavior {
  kind: string;
  /** The deciding status, or why it is missing. */
  verdict: number | string;
  /** It keeps the request open until the deadline. */
  untilDeadline?: boolean;
  start(): Promise<RunningReceiver>;
}

export interface RunningReceiver {
  url: string;
  /** Complete requests, if this receiver counts them. */
  requests(): number;
  stop(): Promise<void>;
}

const certificate = (name: string) => readFileSync(new URL(`../../support/certificates/${name}.pem`, import.meta.url));
export const authority = certificate('ca');

/** Every known way in which a receiver can answer, or not. */
export const receiverBehaviors: ReceiverBehavior[] = [
  answering('answers 200', 200),
  answering('answers 201 with a body', 201, {}, 'thank you'),
  answering('answers 204', 204),
  answering('redirects to a metadata service', 302, { location: 'http://169.254.169.254/latest/meta-data/' }),
  answering('redirects permanently', 301, { location: '/elsewhere' }),
  answering('redirects with the method kept', 307, { location: '/elsewhere' }),
  answering('answers 304', 304),
  answering('answers 401', 401),
  answering('answers 404', 404),
  answering('answers 410', 410),
  answering('answers 429 with Retry-After', 429, { 'retry-after': '86400' }),
  answering('answers 500', 500),
  answering('answers 503', 503),
  answering('sets cookies', 200, { 'set-cookie': 'session=1' }),
  answering('answers a compressed bomb', 200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(64 * 1024 * 1024))),
  raw('answers a huge body', 200, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n');
    pour(socket, Buffer.alloc(64 * 1024, 'x'));
  }),
  raw('answers an endless chunked body', 200, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    pour(socket, Buffer.from(`4000\r\n${'y'.repeat(0x4000)}\r\n`));
  }),
  raw('drips its body', 200, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    drip(socket, 'z', 100);
  }),
  raw(
    'never ends its body',
    500,
    (socket) => void socket.write('HTTP/1.1 500 No\r\nContent-Length: 1000\r\n\r\nonly this'),
  ),
  raw(
    'promises more than it sends',
    200,
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort'),
  ),
  raw(
    'answers 200 and resets',
    200,
    (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\npart', () => socket.resetAndDestroy()),
  ),
  raw(
    'answers before it has read the body',
    200,
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  ),
  raw('sends early hints first', 200, (socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
    setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 20);
  }),
  raw(
    'answers twice',
    200,
    (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n'),
  ),
  raw('speaks HTTP/1.0', 200, (socket) => void socket.end('HTTP/1.0 200 OK\r\n\r\nold but fine')),
  raw(
    'drips its headers',
    'timeout',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      drip(socket, 'a', 100);
    },
    true,
  ),
  raw(
    'floods interim answers',
    'timeout',
    (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 50);
      socket.on('close', () => clearInterval(timer));
    },
    true,
  ),
  raw('accepts and says nothing', 'timeout', () => {}, true),
  raw(
    'switches protocols',
    'invalid_response',
    (socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
  ),
  raw('closes without an answer', 'connection_failed', (socket) => void socket.end()),
  raw('resets on the request', 'connection_failed', (socket) => void socket.resetAndDestroy()),
  raw('answers what is not HTTP', 'invalid_response', (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
  raw('answers a bad status line', 'invalid_response', (socket) => void socket.end('HTTP/1.1 abc Nope\r\n\r\n')),
  raw(
    'answers with two lengths',
    'invalid_response',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
  ),
  raw('sends endless headers', 'invalid_response', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    pour(socket, Buffer.from(`X-Fill: ${'h'.repeat(4000)}\r\n`));
  }),
  onConnect('resets on connecting', 'connection_failed', (socket) => void socket.resetAndDestroy()),
  {
    kind: 'refuses the connection',
    verdict: 'connection_refused',
    async start() {
      const { url, stop } = await listen(createServer());
      await stop();
      return { url: `${url}/`, requests: () => 0, stop: async () => {} };
    },
  },
  tls('has a good certificate', 200, { cert: certificate('good') }),
  tls('has an untrusted certificate', 'tls_failed', { cert: certificate('self-signed') }),
  tls('has a certificate for another name', 'tls_failed', { cert: certificate('wrong-name') }),
  tls('has an expired certificate', 'tls_failed', { cert: certificate('expired') }),
  tls('speaks only an old TLS', 'tls_failed', {
    cert: certificate('good'),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT:@SECLEVEL=0',
  }),
  onConnect('speaks no TLS where it should', 'tls_failed', (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'), {
    scheme: 'https',
  }),
  onConnect('never finishes the TLS handshake', 'timeout', () => {}, { scheme: 'https', untilDeadline: true }),
];

function answering(
  kind: string,
  status: number,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): ReceiverBehavior {
  return {
    kind,
    verdict: status,
    async start() {
      let requests = 0;
      const { url, stop } = await serve((request, response) => {
        request.resume().on('end', () => {
          requests += 1;
          response.writeHead(status, headers).end(body);
        });
      });
      return { url: `${url}/`, requests: () => requests, stop };
    },
  };
}

/** Answers by hand once the first bytes of a request arrive, and of the next one on the same connection. */
function raw(
  kind: string,
  verdict: number | string,
  answer: (socket: Socket) => void,
  untilDeadline = false,
): ReceiverBehavior {
  return { kind, verdict, untilDeadline, start: () => cage(createServer(), 'connection', onRequest(answer), 'http') };
}

function onConnect(
  kind: string,
  verdict: number | string,
  meet: (socket: Socket) => void,
  { scheme = 'http', untilDeadline = false } = {},
): ReceiverBehavior {
  return { kind, verdict, untilDeadline, start: () => cage(createServer(), 'connection', meet, scheme) };
}

function tls(kind: string, verdict: number | string, options: TlsOptions): ReceiverBehavior {
  const answer = onRequest((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  return {
    kind,
    verdict,
    start: () => cage(createTlsServer({ key: certificate('key'), ...options }), 'secureConnection', answer, 'https'),
  };
}

type Meet = (socket: Socket, arrived: () => void) => void;

function onRequest(answer: (socket: Socket) => void): Meet {
  return (socket, arrived) =>
    void socket.on('data', (chunk) => {
      if (!chunk.includes('POST / HTTP/1.1\r\n')) return;
      arrived();
      answer(socket);
    });
}

async function cage(server: Server, event: string, meet: Meet, scheme: string): Promise<RunningReceiver> {
  const sockets = new Set<Socket>();
  let requests = 0;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  server.on('tlsClientError', () => {});
  server.on(event, (socket: Socket) => {
    socket.on('error', () => {});
    meet(socket, () => {
      requests += 1;
    });
  });
  const { port } = await listen(server);
  return {
    url: `${scheme}://127.0.0.1:${port}/`,
    requests: () => requests,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes as long as the client reads. */
function pour(socket: Socket, chunk: Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

function drip(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on('close', () => clearInterval(timer));
}
