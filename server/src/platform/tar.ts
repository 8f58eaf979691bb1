import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';

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

/** One member of an archive. Its bytes must be read before the next member. */
export interface TarEntry {
  /** With slashes, below the root of the archive. */
  path: string;
  type: 'file' | 'directory';
  mode: number;
  data: AsyncIterable<Buffer>;
}

const FILE_TYPES = new Set(['0', '\0']);

class TarError extends Error {
  override readonly name = 'TarError';
}

/** Reads a tar archive (ustar) as it arrives: files and directories only, none of them outside the root. */
export async function* untar(archive: Readable): AsyncGenerator<TarEntry> {
  const source = new ByteSource(archive);
  while (true) {
    const header = await source.take(BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) break;
    const { size, ...entry } = readHeader(header);
    const data = source.stream(size);
    yield { ...entry, data };
    for await (const _ of data);
    await source.take(-size & (BLOCK_BYTES - 1));
  }
  // The end of a compressed stream contains its checksum, which is verified only by reading to the end.
  await source.drain();
}

function readHeader(header: Buffer): Omit<TarEntry, 'data'> & { size: number } {
  const text = (from: number, bytes: number) => header.toString('utf8', from, from + bytes).replace(/\0.*$/s, '');
  const octal = (from: number, bytes: number) => Number.parseInt(text(from, bytes).trim() || '0', 8);
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (octal(148, 8) !== sum) throw new TarError('the archive is damaged: a header has the wrong checksum');
  const prefix = text(345, 155);
  const path = `${prefix ? `${prefix}/` : ''}${text(0, 100)}`.replace(/^\.\//, '').replace(/\/$/, '');
  if (path.startsWith('/') || path.split('/').includes('..'))
    throw new TarError(`the archive leaves its root: ${path}`);
  const flag = String.fromCharCode(header[156] ?? 0);
  if (flag !== '5' && !FILE_TYPES.has(flag))
    throw new TarError(`the archive holds neither file nor directory: ${path}`);
  return { path, type: flag === '5' ? 'directory' : 'file', mode: octal(100, 8) & 0o777, size: octal(124, 12) };
}

/** A stream's bytes in chunks of the requested size. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(archive: Readable) {
    this.#chunks = archive[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async take(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(bytes)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *stream(bytes: number): AsyncGenerator<Buffer> {
    for (let missing = bytes; missing > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) throw new TarError('the archive ends too early');
        this.#rest = value;
        continue;
      }
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  async drain(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }
}
