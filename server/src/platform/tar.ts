import { Buffer } from 'node:buffer';

export interface TarFile {
  /** With slashes, at most 100 characters. */
  path: string;
  data: Buffer;
}

const BLOCK_BYTES = 512;

/** The files as a tar archive (ustar). Without owners and times, so that the same files are always the same bytes. */
export function tar(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap(({ path, data }) => [
    headerOf(path, data.length),
    data,
    Buffer.alloc(-data.length & (BLOCK_BYTES - 1)),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function headerOf(path: string, bytes: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(path, 0, 100);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return header;
}
