import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { refuseForgery, sessionCookieName } from '../../platform/http/admission/authenticate.ts';
import { DAY_MS, SECOND_MS } from '../../platform/time.ts';

const COOKIE_LIFE_MS = 7 * DAY_MS;

/** Rejects sign-ins from other sites' pages: a victim would work in the attacker's account without noticing. */
export function refuseForeignSignIn(ctx: Context, request: FastifyRequest): void {
  refuseForgery(request, ctx.config.publicUrl);
}

/** Stores the login token in a cookie that scripts cannot read. */
export function keepSession(ctx: Context, reply: FastifyReply, token: string): void {
  reply.header('set-cookie', cookie(ctx, token, COOKIE_LIFE_MS / SECOND_MS));
}

export function forgetSession(ctx: Context, reply: FastifyReply): void {
  reply.header('set-cookie', cookie(ctx, '', 0));
}

/** Whether the browser sends a session, valid or not. */
export function holdsSession(ctx: Context, request: FastifyRequest): boolean {
  return (request.headers.cookie ?? '')
    .split(/; */)
    .some((pair) => pair.startsWith(`${sessionCookieName(ctx.config.publicUrl)}=ses_`));
}

function cookie(ctx: Context, value: string, maxAgeSeconds: number): string {
  const secure = ctx.config.publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${sessionCookieName(ctx.config.publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
}
