import { Readable } from 'node:stream';
import pg from 'pg';

const SLOT = 'quittance_backup';
/** The message types in the copy stream of BASE_BACKUP: only data belongs in the archive. */
const DATA = 'd'.charCodeAt(0);

/**
 * The files of a running cluster as one tar archive, consistent by the write-ahead log in it. The server continues to
 * serve. Uses PostgreSQL's own protocol, because the embedded one has no `pg_basebackup`.
 */
export async function openBaseBackup(url: string): Promise<Readable> {
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
