import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { tar, type TarEntry, untar } from '../../tar.ts';
import { withAside } from './aside.ts';
import { CLUSTER, HOME, PASSWORD, syncDirectory } from './cluster.ts';
import { findOtherOwner, handOver } from './owner.ts';

const SLOT = 'quittance_backup';
/** The message types in the copy stream of BASE_BACKUP: only data belongs in the archive. */
const DATA = 'd'.charCodeAt(0);

/** The description of a backup, in its first member. */
export interface BackupNotes {
  format: 1;
  /** When it was started. Everything committed before is in it. */
  takenAt: string;
  /** The release that wrote it, and its PostgreSQL version. */
  release: string;
  postgres: string;
}

const NOTES = 'quittance-backup.json';
const TAR_END_BYTES = 1_024;

/** Writes a backup of the running cluster into a new file, readable only by its owner. */
export async function writeBackup(
  { url, password }: { url: string; password: string },
  file: string,
  notes: BackupNotes,
): Promise<void> {
  const writing = withAside(file, async (aside) => {
    const unfinished = join(aside, basename(file));
    const handle = await open(unfinished, 'wx', 0o600);
    const archive = await openBaseBackup(url);
    const head = tar([{ path: NOTES, data: Buffer.from(JSON.stringify({ ...notes, password })) }]);
    const whole = Readable.from(joined(head.subarray(0, -TAR_END_BYTES), archive));
    await pipeline(whole, createGzip({ level: 1 }), handle.createWriteStream({ flush: true }));
    await rename(unfinished, file);
    await syncDirectory(dirname(file));
  });
  await writing.catch((error: NodeJS.ErrnoException) => {
    if (error.path === undefined) throw error;
    throw new StartupError(`${file} cannot be written (${error.code}).`, { cause: error });
  });
}

async function* joined(head: Buffer, rest: Readable): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}

/** Reads a backup's description. Rejects any other file. */
export async function readBackupNotes(file: string): Promise<BackupNotes> {
  try {
    for await (const entry of read(file)) return (await readNotes(entry, file)).notes;
  } catch (error) {
    throw explain(file, error);
  }
  throw notABackup(file);
}

export interface Unpacking {
  /** Texts of further files of the data directory, by their names. */
  beside?: Readonly<Record<string, string>>;
  /** Looks at the temporary data directory before it is moved into place. */
  check?(aside: string): Promise<void>;
}

/**
 * Unpacks a backup in a temporary data directory, and moves what is in it into place. An existing database is moved away,
 * never deleted. A failure leaves everything as it was.
 */
export async function unpackBackup(
  file: string,
  dataDir: string,
  { beside = {}, check = async () => {} }: Unpacking = {},
): Promise<{ movedTo: string | null }> {
  const home = join(dataDir, HOME);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unpacking = withAside(home, async (aside) => {
    let notes: { password: string } | undefined;
    const owner = await findOtherOwner(dataDir);
    await mkdir(join(aside, HOME, CLUSTER), { recursive: true, mode: 0o700 });
    for await (const entry of read(file)) {
      if (notes) await unpack(entry, join(aside, HOME, CLUSTER, entry.path));
      else notes = await readNotes(entry, file);
    }
    if (!notes) throw notABackup(file);
    await writeFlushed(join(aside, HOME, PASSWORD), Readable.from([Buffer.from(notes.password)]), 0o600);
    for (const [name, content] of Object.entries(beside))
      await writeFlushed(join(aside, name), Readable.from([Buffer.from(content)]), 0o600);
    await handOver(aside, owner);
    await check(aside);
    const movedTo = await exchange(aside, dataDir);
    await syncDirectory(dataDir);
    return { movedTo };
  });
  return unpacking.catch((error: unknown) => {
    throw explain(file, error);
  });
}

async function* read(file: string): AsyncGenerator<TarEntry> {
  const packed = createReadStream(file);
  const archive = createGunzip();
  // Its error is thrown by the reader of the archive.
  pipeline(packed, archive).catch(() => {});
  try {
    yield* untar(archive);
  } finally {
    packed.destroy();
    archive.destroy();
  }
}

/** A damaged file can fail at any read. */
function explain(file: string, error: unknown): Error {
  if (error instanceof StartupError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const words = code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be restored: ${message}.`;
  return new StartupError(words, { cause: error });
}

async function readNotes(entry: TarEntry, file: string): Promise<{ notes: BackupNotes; password: string }> {
  if (entry.path !== NOTES) throw notABackup(file);
  const { password, ...notes } = JSON.parse(await text(Readable.from(entry.data)));
  if (notes.format !== 1 || typeof password !== 'string') throw notABackup(file);
  return { notes, password };
}

function notABackup(file: string): StartupError {
  return new StartupError(`${file} is not a backup that this release can restore.`);
}

async function unpack({ type, mode, data }: TarEntry, path: string): Promise<void> {
  if (type === 'file') return writeFlushed(path, data, mode);
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
}

async function writeFlushed(path: string, data: AsyncIterable<Buffer>, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'wx', mode);
  await pipeline(data, handle.createWriteStream({ flush: true }));
}

/** Moves what is in `aside` into place, the database last. Returns the new place of the database that was there. */
async function exchange(aside: string, dataDir: string): Promise<string | null> {
  const home = join(dataDir, HOME);
  const movedTo = await moveAway(home);
  const moved: string[] = [];
  try {
    const others = (await readdir(aside)).filter((name) => name !== HOME);
    for (const name of [...others, HOME]) {
      await rename(join(aside, name), join(dataDir, name));
      moved.push(name);
    }
    return movedTo;
  } catch (error) {
    for (const name of moved) await rename(join(dataDir, name), join(aside, name));
    if (movedTo) await rename(movedTo, home);
    throw error;
  }
}

async function moveAway(home: string): Promise<string | null> {
  const movedTo = `${home}.before-${new Date().toISOString().replaceAll(':', '-')}`;
  try {
    await rename(home, movedTo);
    return movedTo;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The files of a running cluster as one tar archive, consistent by the write-ahead log in it. The server continues to
 * serve. Uses PostgreSQL's own protocol, because the embedded one has no `pg_basebackup`.
 */
async function openBaseBackup(url: string): Promise<Readable> {
  // The types lack this setting.
  const client = new pg.Client({ connectionString: url, replication: 'true' } as pg.ClientConfig);
  let failed: (error: Error) => void = () => {};
  client.on('error', (error) => failed(error));
  await client.connect();
  // Replication commands are upper case. The log that the archive needs at its end must not be recycled meanwhile. The
  // slot ends with the connection.
  await client.query(`CREATE_REPLICATION_SLOT ${SLOT} TEMPORARY PHYSICAL RESERVE_WAL`);

  const archive = new Readable({
    read: () => client.connection.stream.resume(),
    destroy(error, done) {
      void client.end().then(
        () => done(error),
        () => done(error),
      );
    },
  });
  failed = (error) => void archive.destroy(error);
  client.query({
    submit: (connection: pg.Connection) =>
      connection.query("BASE_BACKUP (LABEL 'quittance', CHECKPOINT 'fast', WAL true, MANIFEST 'no')"),
    handleCopyData({ chunk }: { chunk: Buffer }) {
      // The chunk is a view on a buffer that is reused.
      if (chunk[0] === DATA && !archive.push(Buffer.from(chunk.subarray(1)))) client.connection.stream.pause();
    },
    handleReadyForQuery: () => void archive.push(null),
    handleError: (error: Error) => failed(error),
    handleRowDescription() {},
    handleDataRow() {},
    handleCommandComplete() {},
    handleEmptyQuery() {},
    handlePortalSuspended() {},
    handleCopyInResponse() {},
  } as unknown as pg.Submittable);
  return archive;
}
