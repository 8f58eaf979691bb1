import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';

/** Serves built files whose names change with their content. Any other name is `not_found`. */
export async function serveFiles(
  server: FastifyInstance,
  { root, prefix }: { root: string; prefix: string },
): Promise<void> {
  await server.register(async (scope) => {
    scope.setErrorHandler((error: { statusCode?: number }) => {
      const { statusCode = 500 } = error;
      throw statusCode >= 400 && statusCode < 500 ? new ApiError('not_found', { cause: error }) : error;
    });
    // A name has one content, so a condition on its version is meaningless.
    scope.addHook('onRequest', async ({ raw }) => {
      delete raw.headers['if-match'];
      delete raw.headers['if-unmodified-since'];
    });
    await scope.register(files, {
      root,
      prefix,
      index: false,
      immutable: true,
      maxAge: '1y',
      preCompressed: true,
      acceptRanges: false,
      decorateReply: false,
    });
  });
}
