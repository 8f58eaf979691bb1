import type { FastifyRequest } from 'fastify';
import { fail } from '../../platform/errors.ts';
import { isLoopbackAddress, isLoopbackHost } from '../../platform/http/admission/client.ts';

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/** These pages show login codes, so they answer only requests from this machine that no proxy has forwarded. */
export function refuseOthers(request: FastifyRequest): void {
  const isHere = isLoopbackAddress(request.socket.remoteAddress ?? '') && isLoopbackHost(request.headers.host ?? '');
  if (!isHere || FORWARDED.some((name) => request.headers[name] !== undefined)) {
    fail('forbidden', { message: 'Available only in development, from localhost.' });
  }
}
