import { crc32, deflateSync } from 'node:zlib';

/** Pictures of 3 × 2 blue pixels, as a browser writes them. */
export const JPEG = Buffer.from(
  // biome-ignore format: one text
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABQb/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCcAqxT/9k=',
  'base64',
);
export const LOSSY = Buffer.from('VlA4ICwAAACQAQCdASoDAAIAAsBMJaACdLoAA5gA/upl//0JP/ibP+CT90//wF090XiAAA==', 'base64');
export const LOSSLESS = Buffer.from('VlA4TBEAAAAvAkAAAAdQr370v/+BiOh/AAA=', 'base64');

/** A PNG that every decoder draws; `more` stands before the pixels. `noise` makes it as large in bytes as in pixels. */
export function png(width = 3, height = 2, { more = [] as Buffer[], noise = false } = {}): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits of grey.
  head.writeUInt8(8, 8);
  const row = width + 1;
  const pixels = Buffer.alloc(Math.min(row * height, 8 * 1024 ** 2));
  for (let at = 0; noise && at < pixels.length; at += 1) pixels[at] = at % row === 0 ? 0 : (at * at * 31 + at * 7) >> 3;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngPart('IHDR', head),
    ...more,
    pngPart('IDAT', deflateSync(pixels, { level: noise ? 0 : 9 })),
    pngPart('IEND', Buffer.alloc(0)),
  ]);
}

export function pngPart(name: string, content: Buffer): Buffer {
  const part = Buffer.concat([Buffer.alloc(4), Buffer.from(name, 'latin1'), content, Buffer.alloc(4)]);
  part.writeUInt32BE(content.length, 0);
  part.writeUInt32BE(crc32(part.subarray(4, -4)), part.length - 4);
  return part;
}

export function jpegPart(marker: number, content: Buffer): Buffer {
  const part = Buffer.concat([Buffer.from([0xff, marker, 0, 0]), content]);
  part.writeUInt16BE(content.length + 2, 2);
  return part;
}

export function webp(...parts: Buffer[]): Buffer {
  const file = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), ...parts]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

export function webpPart(name: string, content: Buffer): Buffer {
  const part = Buffer.concat([Buffer.from(name, 'latin1'), Buffer.alloc(4), content, Buffer.alloc(content.length % 2)]);
  part.writeUInt32LE(content.length, 4);
  return part;
}

/** The canvas of an extended WebP. */
export function canvas(flags: number, width = 3, height = 2): Buffer {
  const content = Buffer.alloc(10);
  content.writeUInt8(flags, 0);
  content.writeUIntLE(width - 1, 4, 3);
  content.writeUIntLE(height - 1, 7, 3);
  return webpPart('VP8X', content);
}
