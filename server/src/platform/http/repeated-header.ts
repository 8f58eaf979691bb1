import type { IncomingMessage } from 'node:http';

/** Whether a request has this header more than once. Node joins the values of most, and drops the others of some. */
export function isRepeated({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) times += 1;
  return times > 1;
}
