// Each reader goes once through the parts of a file by their lengths, and decodes none of them.

export type Flaw = 'incomplete' | 'animated';

interface Size {
  width: number;
  height: number;
}

export interface Drawing extends Size {
  /** What the picture is drawn from, in order. Other parts hold texts and other pictures, or are no part of the format. */
  parts: Buffer[];
}

const PNG_PARTS = new Set('IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP bKGD pHYs'.split(' '));

export function readPng(bytes: Buffer): Drawing | Flaw {
  const parts = [bytes.subarray(0, 8)];
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const part = bytes.subarray(at, at + 12 + length);
    if (part.length < 12 + length) return 'incomplete';
    // The head is first and there is one, so that nothing else says how large the picture is.
    if ((name === 'IHDR') !== (at === 8) || (name === 'IHDR' && length !== 13)) return 'incomplete';
    if (name === 'acTL') return 'animated';
    if (PNG_PARTS.has(name)) parts.push(part);
    hasPixels ||= name === 'IDAT';
    if (name === 'IEND' && hasPixels) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), parts };
    at += part.length;
  }
  return 'incomplete';
}

const SCAN = 0xda;
const END = 0xd9;
/** Sequential and progressive pictures. Browsers show no others. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2]);
/** Frames, tables, scans, and the intervals between their restarts. */
const DRAWN = new Set([...FRAMES, 0xc4, 0xdb, SCAN, 0xdd]);

export function readJpeg(bytes: Buffer): Drawing | Flaw {
  const parts = [bytes.subarray(0, 2)];
  let size: Size | null = null;
  let hasPixels = false;
  for (let at = 2; bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    if (marker === END && size && hasPixels) return { ...size, parts: [...parts, bytes.subarray(at, at + 2)] };
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0;
    let end = at + 2 + length;
    if (marker === undefined || length < 2 || end > bytes.length) return 'incomplete';
    if (FRAMES.has(marker)) {
      if (size || length < 8) return 'incomplete';
      size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    if (marker === SCAN) end = endOfScan(bytes, end);
    hasPixels ||= marker === SCAN;
    if (DRAWN.has(marker) || isAboutColors(marker, bytes.toString('latin1', at + 4, at + 16)))
      parts.push(bytes.subarray(at, end));
    at = end;
  }
  return 'incomplete';
}

/** The place of the next marker: `FF00` is a byte of the pixels, and restarts are between them. */
function endOfScan(bytes: Buffer, begin: number): number {
  for (let at = begin; ; ) {
    const found = bytes.indexOf(0xff, at);
    const next = bytes[found + 1];
    if (found < 0 || next === undefined) return bytes.length;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return found;
    at = found + 2;
  }
}

function isAboutColors(marker: number, name: string): boolean {
  return (
    (marker === 0xe0 && name.startsWith('JFIF\0')) ||
    (marker === 0xe2 && name === 'ICC_PROFILE\0') ||
    (marker === 0xee && name.startsWith('Adobe'))
  );
}

const WEBP_PARTS = new Set(['VP8X', 'ICCP', 'ALPH', 'VP8 ', 'VP8L']);
const MOVES = 0b0000_0010;
/** That Exif and XMP follow. */
const TEXTS = 0b0000_1100;

export function readWebp(bytes: Buffer): Drawing | Flaw {
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return 'incomplete';
  const head = Buffer.from(bytes.subarray(0, 12));
  const parts = [head];
  const sizes: Size[] = [];
  for (let at = 12; at + 8 <= end; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    // Each part has a whole number of pairs of bytes; an empty one fills the last.
    const next = at + 8 + length + (length % 2);
    if (next > end) return 'incomplete';
    const part = Buffer.from(bytes.subarray(at, next));
    if (name === 'ANIM' || name === 'ANMF') return 'animated';
    if (name.startsWith('VP8')) {
      const size = sizeOfWebp(name, part);
      if (size === null || (name === 'VP8X' && at !== 12)) return 'incomplete';
      sizes.push(size);
    }
    if (name === 'VP8X') {
      const flags = part.readUInt8(8);
      if ((flags & MOVES) !== 0) return 'animated';
      part.writeUInt8(flags & ~TEXTS, 8);
    }
    if (WEBP_PARTS.has(name)) parts.push(part);
    at = next;
  }
  head.writeUInt32LE(
    parts.reduce((sum, { length }) => sum + length, -8),
    4,
  );
  // One picture, as large as the canvas, if there is one.
  const [size, of] = sizes;
  const isOne = parts[1]?.toString('latin1', 0, 4) === 'VP8X' ? sizes.length === 2 : sizes.length === 1;
  if (!size || !isOne || (of && (of.width !== size.width || of.height !== size.height))) return 'incomplete';
  return { ...size, parts };
}

/** By the beginning of the canvas, of a lossy picture or of one without losses, after a name and a length of eight bytes. */
function sizeOfWebp(name: string, part: Buffer): Size | null {
  if (part.length < 18) return null;
  if (name === 'VP8X') return { width: part.readUIntLE(12, 3) + 1, height: part.readUIntLE(15, 3) + 1 };
  if (name === 'VP8 ' && part.readUIntBE(11, 3) === 0x9d012a)
    return { width: part.readUInt16LE(14) & 0x3fff, height: part.readUInt16LE(16) & 0x3fff };
  if (name === 'VP8L' && part[8] === 0x2f) {
    const bits = part.readUInt32LE(9);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return null;
}
