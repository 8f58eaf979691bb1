import type { FastifyRequest } from 'fastify';

/** The visitor's language among those there are: the one asked for in the address, else the first their browser names. */
export function localeOf(request: FastifyRequest, locales: readonly string[]): string {
  const asked = (request.query as { lang?: unknown }).lang;
  const wanted = [
    ...(typeof asked === 'string' ? [asked] : []),
    ...(request.headers['accept-language'] ?? '').split(',').map((part) => part.split(';')[0]?.trim() ?? ''),
  ];
  for (const tag of wanted) {
    const exact = locales.find((locale) => locale.toLowerCase() === tag.toLowerCase());
    const related = locales.find((locale) => locale.split('-')[0] === tag.toLowerCase().split('-')[0]);
    if (exact ?? related) return (exact ?? related) as string;
  }
  return 'en';
}
