import type { FastifyReply, FastifyRequest } from 'fastify';

const COOKIE = 'language';

/** The visitor's language: the one chosen here, otherwise the first supported one that their browser names. */
export function localeOf(request: FastifyRequest, locales: readonly string[]): string {
  const wanted = [
    askedFor(request),
    kept(request),
    ...(request.headers['accept-language'] ?? '').split(',').map((part) => part.split(';')[0]?.trim()),
  ];
  for (const tag of wanted) {
    if (!tag) continue;
    const exact = locales.find((locale) => locale.toLowerCase() === tag.toLowerCase());
    const related = locales.find((locale) => locale.split('-')[0] === tag.toLowerCase().split('-')[0]);
    if (exact ?? related) return (exact ?? related) as string;
  }
  return 'en';
}

/** Keeps a chosen language for all following forms. */
export function keepLocale(request: FastifyRequest, reply: FastifyReply, locales: readonly string[]): void {
  const asked = askedFor(request);
  if (asked !== undefined && locales.includes(asked))
    reply.header('set-cookie', `${COOKIE}=${asked}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly`);
}

function askedFor(request: FastifyRequest): string | undefined {
  const { lang } = request.query as { lang?: unknown };
  return typeof lang === 'string' ? lang : undefined;
}

function kept(request: FastifyRequest): string | undefined {
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1];
}
