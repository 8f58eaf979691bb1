import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const MIN_BYTES = 2_000;
/** Longer texts are compressed by another thread, because requests of others wait for this one. */
const MAX_OWN_BYTES = 32_000;
/** Half the work of the default for a few percent more bytes. */
const GZIP_LEVEL = 4;
const gzipAside = promisify(gzip);

/** A text that is sent several times. It is compressed once. */
export interface SharedText {
  text: string;
  packed?: Buffer;
}

/** The text as it is sent: compressed, if it is worth it and the client accepts it. */
export function compressed(reply: FastifyReply, text: string | SharedText): string | Buffer {
  const shared = typeof text === 'string' ? { text } : text;
  if (!isCompressed(reply, shared.text)) return shared.text;
  shared.packed ??= gzipSync(shared.text, { level: GZIP_LEVEL });
  return shared.packed;
}

/** The same for a text that may be long. As bytes it leaves the heap, where each collection would copy it until it is read. */
export async function compressedAside(reply: FastifyReply, text: string): Promise<string | Buffer> {
  if (text.length <= MAX_OWN_BYTES) return compressed(reply, text);
  const bytes = Buffer.from(text);
  return isCompressed(reply, text) ? gzipAside(bytes, { level: GZIP_LEVEL }) : bytes;
}

/** Whether the text will be compressed, and the headers that say so. */
function isCompressed(reply: FastifyReply, text: string): boolean {
  const others = String(reply.getHeader('vary') ?? '');
  reply.header('vary', others ? `${others}, accept-encoding` : 'accept-encoding');
  if (text.length < MIN_BYTES || !takesGzip(reply.request)) return false;
  reply.header('content-encoding', 'gzip');
  return true;
}

export function takesGzip(request: FastifyRequest): boolean {
  return /(^|,)\s*gzip\s*(,|$|;(?!\s*q=0(\.0*)?\s*(,|$)))/i.test(String(request.headers['accept-encoding'] ?? ''));
}
