import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBackups, checkDisk } from '../../src/commands/doctor.ts';
import { readConfig } from '../../src/config.ts';
import { noteBackup } from '../../src/platform/db/embedded/last-backup.ts';

const DAY_SECONDS = 86_400;
const PRODUCTION = {
  PROFILE: 'production',
  PUBLIC_URL: 'https://pay.example.com',
  MASTER_KEY: '11'.repeat(32),
  DATABASE_URL: 'embedded',
};

test('the doctor says when the embedded database was last backed up', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-doctor-'));
  const ask = (env = {}) => checkBackups(readConfig({ ...PRODUCTION, DATA_DIR: dataDir, ...env }));
  expect(await ask()).toEqual([expect.objectContaining({ state: 'warning', subject: 'backup' })]);
  await noteBackup(dataDir, new Date(Date.now() - DAY_SECONDS * 1000).toISOString());
  expect(await ask()).toEqual([expect.objectContaining({ state: 'ok' })]);
  await noteBackup(dataDir, new Date(Date.now() - 3 * DAY_SECONDS * 1000).toISOString());
  expect(await ask()).toEqual([expect.objectContaining({ state: 'failed' })]);
  expect(await ask({ DATABASE_URL: 'postgres://db.example.com/quittance' })).toEqual([]);
  await rm(dataDir, { recursive: true });
});

test('the doctor fails on a disk that is almost full, of the embedded database only', async () => {
  const ask = (free: number, env = {}) => checkDisk(readConfig({ ...PRODUCTION, ...env }), async () => free);
  expect(await ask(2_000_000_000)).toEqual([expect.objectContaining({ state: 'ok', subject: 'disk' })]);
  expect(await ask(1_999_999_999)).toEqual([expect.objectContaining({ state: 'failed', subject: 'disk' })]);
  expect(await ask(0, { DATABASE_URL: 'postgres://db.example.com/quittance' })).toEqual([]);
});
