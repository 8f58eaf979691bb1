import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError } from './errors.ts';

const LENGTH_BYTES = 32;

/**
 * The key in this file, created on the first start. For development: in production the key is stored apart from the
 * data.
 */
export async function keepMasterKey(file: string): Promise<Buffer> {
  const kept = await read(file);
  if (kept) return kept;

  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(aside, `${randomBytes(LENGTH_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    // Linking fails if the file exists, so two concurrent first starts use the same key.
    await link(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
  return (await read(file)) as Buffer;
}

async function read(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length !== LENGTH_BYTES)
    throw new StartupError(
      `${file} does not contain a master key (${LENGTH_BYTES} bytes in hex). Restore it: secrets sealed with it cannot be read without it.`,
    );
  return key;
}
