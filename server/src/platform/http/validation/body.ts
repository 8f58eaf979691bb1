import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.ts';

export const MAX_BODY_BYTES = 256 * 1024;

/** Reads only JSON in UTF-8. An empty body counts as missing, whatever its content type. */
export function readJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    request.bodyBytes = bytes.length;
    if (bytes.length === 0) return done(null, undefined);
    if (request.headers['content-encoding'] !== undefined || !isInUtf8(request.headers['content-type'])) {
      return done(
        new ApiError('unsupported_media_type', {
          message: 'Send the body as `Content-Type: application/json` in UTF-8, without a content encoding.',
        }),
      );
    }
    if (!isUtf8(bytes)) return done(new ApiError('invalid_request', { message: 'The body is not well-formed UTF-8.' }));
    try {
      // Some platforms send a byte order mark, which the decoder drops.
      done(null, JSON.parse(new TextDecoder().decode(bytes)));
    } catch (error) {
      const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
      const where = position === undefined ? '' : `, from character ${position} on`;
      done(
        new ApiError('invalid_request', {
          message: `The body is not valid JSON${where}. Send a JSON object.`,
          cause: error,
        }),
      );
    }
  });
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(new ApiError('unsupported_media_type'));
  });
}

function isInUtf8(contentType: string | undefined): boolean {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '') ?? [];
  return charset === undefined || charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8';
}
