import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_SHOWN = 100;

export interface WrittenMail {
  name: string;
  to: string;
  subject: string;
  date: string;
  text: string;
}

/** The mails that were written to files instead of being sent, newest first. */
export async function readMails(folder: string): Promise<WrittenMail[]> {
  const names = (await readdir(folder).catch(() => [] as string[]))
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .reverse()
    .slice(0, MAX_SHOWN);
  return Promise.all(names.map(async (name) => parseMail(name, await readFile(join(folder, name), 'utf8'))));
}

/** Parses only the service's own mails: one part, plain text. */
function parseMail(name: string, source: string): WrittenMail {
  const at = source.search(/\r?\n\r?\n/);
  const head = source.slice(0, at).replaceAll(/\r?\n[ \t]+/g, ' ');
  const body = source.slice(at).replace(/^(\r?\n){2}/, '');
  const header = (wanted: string) => new RegExp(`^${wanted}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
  return {
    name,
    to: header('To'),
    subject: decodeWords(header('Subject')),
    date: header('Date'),
    text: decodeBody(body, header('Content-Transfer-Encoding')),
  };
}

function decodeBody(body: string, encoding: string): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8');
  if (/quoted-printable/i.test(encoding)) return decodeQuoted(body.replaceAll(/=\r?\n/g, ''));
  return body;
}

function decodeQuoted(text: string): string {
  const bytes = [...text.matchAll(/=([0-9A-Fa-f]{2})|([\s\S])/gu)].map(([, hex, plain]) =>
    hex ? Buffer.from(hex, 'hex') : Buffer.from(plain as string),
  );
  return Buffer.concat(bytes).toString('utf8');
}

function decodeWords(text: string): string {
  return text.replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=(?:\s+(?==\?))?/gi, (_, kind: string, coded: string) =>
    kind.toLowerCase() === 'b'
      ? Buffer.from(coded, 'base64').toString('utf8')
      : decodeQuoted(coded.replaceAll('_', ' ')),
  );
}
