import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';

/** What a connection has answered so far. */
export interface Answers {
  /** Whether it answered an earlier request, and not a byte, not even of an interim answer, to the latest one. */
  isStale(): boolean;
}

/**
 * Takes interim answers (1xx) out of what a connection receives, except a switch of protocols: RFC 9110 15.2 wants any of
 * them read past, and undici closes a connection on a 100 that it has not asked for. One request at a time.
 *
 * Must be called before undici gets the socket, so that this listener reads first.
 */
function readPastInterim(socket: Socket): Answers {
  let hasAnswered = false;
  // A request was written since then, so what arrives next begins an answer.
  let writtenBefore = socket.bytesWritten;
  let isStart = false;
  let hasBegun = false;
  let held: Buffer = NOTHING;

  socket.on('readable', () => {
    if (socket.bytesWritten !== writtenBefore) {
      writtenBefore = socket.bytesWritten;
      isStart = true;
      hasBegun = false;
    }
    const chunk: Buffer | null = isStart ? socket.read() : null;
    if (chunk === null) return;
    hasBegun = true;
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (let length = interimLength(held); length !== 0; length = interimLength(held)) {
      if (length === undefined) return;
      held = held.subarray(length);
    }
    if (held.length === 0) return;
    hasAnswered = true;
    isStart = false;
    socket.unshift(held);
    held = NOTHING;
  });

  return { isStale: () => hasAnswered && (!hasBegun || socket.bytesWritten !== writtenBefore) };
}

/** A connector whose connections read past interim answers. `onOpen` is called before undici gets the connection. */
export function readingPastInterim(
  connect: buildConnector.connector,
  onOpen?: (socket: Socket, answers: Answers) => void,
): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      // HTTP/2 has frames of its own.
      if (socket && (socket as TLSSocket).alpnProtocol !== 'h2') {
        const answers = readPastInterim(socket);
        onOpen?.(socket, answers);
      }
      callback(...result);
    });
}

/** undici's usual connector, for services that the operator has configured. */
export function plainConnector(): buildConnector.connector {
  return readingPastInterim(buildConnector({}));
}

const NOTHING = Buffer.alloc(0);
const HEAD_END = '\r\n\r\n';
/** Longer ones are left to undici, which rejects them. */
const MAX_INTERIM_BYTES = 16 * 1024;
const STATUS_LENGTH = 'HTTP/1.1 100'.length;

/** The length of the interim answer at the start: 0 without one, undefined while that depends on the next bytes. */
function interimLength(bytes: Buffer): number | undefined {
  const status = bytes.toString('latin1', 0, STATUS_LENGTH);
  const isShort = status.length < STATUS_LENGTH;
  // A short text is completed to see whether it can become an interim status.
  if (!INTERIM.test(isShort ? status + 'HTTP/1.1 100'.slice(status.length) : status)) return 0;
  if (isShort) return undefined;
  const end = bytes.indexOf(HEAD_END);
  if (end >= 0) return end + HEAD_END.length;
  return bytes.length > MAX_INTERIM_BYTES ? 0 : undefined;
}

const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d$/;
