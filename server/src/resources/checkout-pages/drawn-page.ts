import type { FastifyReply } from 'fastify';
import { type PageOptions, sendPage } from '../../platform/http/page.ts';
import type { SharedText } from '../../platform/http/compress.ts';

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
