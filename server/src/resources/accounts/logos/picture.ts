import { type LOGO_TYPES, MAX_LOGO_BYTES, MAX_LOGO_PIXELS } from '@quittance/contract/logos';
import { type Drawing, type Flaw, readJpeg, readPng, readWebp } from './formats.ts';

/** A picture that was checked, without what it is not drawn from, such as where a photo was taken. */
export interface Picture {
  type: (typeof LOGO_TYPES)[number];
  bytes: Buffer;
}

const FORMATS: { type: Picture['type']; begins: (head: string) => boolean; read: (bytes: Buffer) => Drawing | Flaw }[] =
  [
    { type: 'image/png', begins: (head) => head.startsWith('\x89PNG\r\n\x1a\n'), read: readPng },
    { type: 'image/jpeg', begins: (head) => head.startsWith('\xff\xd8\xff'), read: readJpeg },
    { type: 'image/webp', begins: (head) => head.startsWith('RIFF') && head.endsWith('WEBP'), read: readWebp },
  ];

const OBJECTIONS: Record<Flaw, string> = {
  incomplete: 'is damaged or incomplete. Save the picture again as PNG, JPEG or WebP.',
  animated: 'moves. Send a picture without animation.',
};

/** What strangers' browsers will be given, or what is wrong with it. The name and type that a sender states say nothing. */
export function readPicture(bytes: Buffer): Picture | string {
  if (bytes.length > MAX_LOGO_BYTES) return `has more than ${MAX_LOGO_BYTES / 1024} KiB. Send a smaller picture.`;
  const head = bytes.toString('latin1', 0, 12);
  const format = FORMATS.find(({ begins }) => begins(head));
  if (!format) return 'is not a PNG, JPEG or WebP picture in base64.';
  const drawing = format.read(bytes);
  if (typeof drawing === 'string') return OBJECTIONS[drawing];
  const { width, height, parts } = drawing;
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_LOGO_PIXELS)
    return `has ${width} × ${height} pixels. Send one of at most ${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS}.`;
  return { type: format.type, bytes: Buffer.concat(parts) };
}
