import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { takesGzip } from '../../platform/http/compress.ts';

/**
 * A document that does not change while the server runs. It is compressed once, and not sent to clients that have it.
 */
export interface DocumentFile {
  type: string;
  body: Buffer;
  /** Null if it is compressed already. */
  gzip: Buffer | null;
  tag: string;
}

export function documentFile(content: string | Buffer, type: string): DocumentFile {
  const body = Buffer.from(content);
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, body, gzip: type === 'application/gzip' ? null : gzipSync(body, { level: 9 }), tag };
}

/** Sets the headers of a file for one request; returns the body that is left to send. */
export function chooseEncoding(
  request: FastifyRequest,
  reply: FastifyReply,
  file: DocumentFile,
): { status: 200 | 304; body: Buffer } {
  reply.headers({ 'cache-control': 'no-cache', etag: file.tag, vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === file.tag) return { status: 304, body: Buffer.alloc(0) };
  if (!file.gzip || !takesGzip(request)) return { status: 200, body: file.body };
  reply.header('content-encoding', 'gzip');
  return { status: 200, body: file.gzip };
}
