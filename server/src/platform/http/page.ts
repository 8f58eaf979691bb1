import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { fail } from '../errors.ts';
import { type IdPrefix, isId } from '../ids.ts';
import { compressed, type SharedText } from './compress.ts';

export interface PageOptions {
  status?: number;
  /** Origins that may frame the page; none by default. */
  frameParents?: readonly string[];
  /** More image origins, such as a merchant's logo. */
  imageOrigins?: readonly string[];
  /** More origins that scripts of the page may talk to. */
  connectOrigins?: readonly string[];
  /** The one policy by which scripts of the page may name a script that is not part of it; none by default. */
  trustedTypes?: string;
  /** Whether the page shows other pages of this service in frames. */
  framesOwnPages?: boolean;
}

/** Sends an HTML page that may run only the service's own files and be framed only by the listed origins. */
export function sendPage(reply: FastifyReply, html: string | SharedText, options: PageOptions = {}): FastifyReply {
  // Compression is safe: the page has no secret beside text that a stranger controls, so its length reveals nothing.
  return headPage(reply, options).send(compressed(reply, html));
}

/** Sets the headers of a page that the caller sends. */
export function headPage(reply: FastifyReply, options: PageOptions = {}): FastifyReply {
  const frameParents = options.frameParents ?? [];
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${["'self'", 'data:', ...(options.imageOrigins ?? [])].join(' ')}`,
    "font-src 'self'",
    ...(options.framesOwnPages ? ["frame-src 'self'"] : []),
    `connect-src ${["'self'", ...(options.connectOrigins ?? [])].join(' ')}`,
    "form-action 'self'",
    `frame-ancestors ${frameParents.length > 0 ? frameParents.join(' ') : "'none'"}`,
    "base-uri 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${options.trustedTypes ?? "'none'"}`,
  ].join('; ');
  // The older header does not support lists, and would deny what the policy allows.
  if (frameParents.length > 0) reply.removeHeader('x-frame-options');
  return reply.status(options.status ?? 200).headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    // The address of a checkout is a capability, so linked sites must not learn it.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  });
}

/** The source, in a content security policy, of exactly this text of a script or a style in the page. */
export function sha256Source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** A page that several visitors get: nothing in it is about one of them. */
export interface DrawnPage {
  html: SharedText;
  options: PageOptions;
}

export function drawn(html: string, options: PageOptions): DrawnPage {
  return { html: { text: html }, options };
}

export function sendDrawn(reply: FastifyReply, { html, options }: DrawnPage): FastifyReply {
  return sendPage(reply, html, options);
}

/**
 * The id in the path of a page, which no shape of the contract describes. A text of another form is not found before
 * anything is asked about it.
 */
export function pathId(prefix: IdPrefix, request: { params: unknown }): string {
  const { id } = request.params as { id?: unknown };
  return typeof id === 'string' && isId(prefix, id) ? id : fail('not_found');
}
