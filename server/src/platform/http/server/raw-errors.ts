import type { Socket } from 'node:net';
import { ApiError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { MAX_URL_LENGTH } from '../admission/admit.ts';
import { Client } from '../admission/client.ts';
import { errorEnvelope } from './errors.ts';
import { standardHeaders } from './headers.ts';
import { type Limiter, rateLimitHeaders } from '../admission/rate-limit.ts';
import { clientOfRawHead, type IsTrusted } from '../admission/trusted-proxies.ts';

/** An error for bytes that Node could not parse as a request. */
type ClientError = Error & { code?: string; rawPacket?: unknown };

/**
 * Answers requests that could not be parsed: malformed or overlong heads, and bodies that did not arrive in time. They
 * have no reply object, so the response is written to the socket.
 */
export function rawErrorHandler(limiter: Limiter, isHttps: boolean, isTrusted: IsTrusted) {
  const answered = new WeakSet<Socket>();

  return (error: ClientError, socket: Socket): void => {
    // More bytes of the same request raise the same event again.
    if (answered.has(socket)) return;
    answered.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun(socket)) {
      socket.destroy(error);
      return;
    }
    const client = clientOfRawHead(socket.remoteAddress, textOf(error.rawPacket), isTrusted);
    void limiter.requests.take(Client.at(client)).then(
      (verdict) => {
        const requestId = newId('req');
        const failure = toFailure(error);
        const body = JSON.stringify(errorEnvelope(failure, requestId));
        const headers = {
          connection: 'close',
          'content-type': 'application/json; charset=utf-8',
          'content-length': String(Buffer.byteLength(body)),
          ...standardHeaders(requestId, isHttps),
          ...rateLimitHeaders(verdict),
        };
        const head = Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('');
        socket.write(`HTTP/1.1 ${failure.status} ${REASONS[failure.status] ?? 'Error'}\r\n${head}\r\n${body}`);
        socket.destroySoon();
      },
      () => socket.destroy(),
    );
  };
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
};

function toFailure(error: ClientError): ApiError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('request_timeout');
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const [line = ''] = textOf(error.rawPacket).split('\n', 1);
    return new ApiError(/^[A-Z]+ /.test(line) && line.length > MAX_URL_LENGTH ? 'uri_too_long' : 'headers_too_large');
  }
  return new ApiError('invalid_request', { message: 'This is not a valid HTTP request.' });
}

function textOf(rawPacket: unknown): string {
  return Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
}

/** Whether a response was already started; a second one would be read as part of it. */
function hasBegun(socket: Socket): boolean {
  const message = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  return message?.headersSent === true;
}
