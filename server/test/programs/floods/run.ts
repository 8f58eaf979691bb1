import { parseArgs } from 'node:util';
import { startTestServer } from '../../support/global-setup.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startSolanaShop } from '../../support/solana/shop.ts';
import { startApp } from '../../support/app.ts';
import { startSettlement } from '../../support/settlement.ts';
import { type AbuseOptions, simulateAbuse } from './abuse/abuse.ts';
import { floodWithBigRows } from './big-rows.ts';
import { busyAddress } from './busy-address.ts';
import { busySolana } from './busy-solana.ts';
import { capacity } from './capacity.ts';
import { floodWithClaims } from './claims.ts';
import { floodWithDust } from './dust.ts';
import type { Flood, FloodOptions, FloodResult } from './flood.ts';
import { floodRetention } from './retention.ts';
import { floodWithSlowReaders } from './slow-readers.ts';

/**
 * Floods a service on a real local runtime and a real database, and prints what it costs. Exits with 1 where an honest payment was not
 * paid or memory grew.
 *
 *     npm run program -- floods                     all floods
 *     npm run program -- floods claims --size 5000
 *     npm run program -- floods busy --size 500        17 minutes instead of two
 *     npm run program -- floods solana                 a busy address on Solana, 30 slots; --size for more
 *     npm run program -- floods capacity               checkouts of one price at one wallet
 *     npm run program -- floods retention --size 200000
 *     npm run program -- floods slow-readers           800 connections that never read
 *     npm run program -- floods big-rows               one account with large metadata; --size for its payments
 *     npm run program -- floods abuse                  an hour of 50 strangers; --size and --minutes for others
 */
const FLOODS: Record<string, (database: TestDatabase, options: AbuseOptions) => Promise<FloodResult>> = {
  abuse: simulateAbuse,
  async 'big-rows'(database, options) {
    await using app = await startApp({ database });
    return await floodWithBigRows(app, options);
  },
  claims: onEthereum(floodWithClaims),
  dust: onEthereum(floodWithDust()),
  'dust-tagged': onEthereum(floodWithDust('tagged')),
  'dust-claimed': onEthereum(floodWithDust('claimed')),
  busy: onEthereum(busyAddress),
  capacity: onEthereum(capacity),
  retention: onEthereum(floodRetention),
  async 'slow-readers'(database, options) {
    await using app = await startApp({ database, listen: true });
    return await floodWithSlowReaders(app, options);
  },
  async solana(database, options) {
    await using shop = await startSolanaShop({ database });
    return await busySolana(shop, options);
  },
};

function onEthereum(flood: Flood) {
  return async (database: TestDatabase, options: FloodOptions) => {
    await using shop = await startSettlement({ database });
    return await flood(shop, options);
  };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { size: { type: 'string' }, minutes: { type: 'string' } },
});
const unknown = positionals.filter((name) => !(name in FLOODS));
if (unknown.length > 0)
  throw new Error(`there is no flood ${unknown.join(', ')}; there are ${Object.keys(FLOODS).join(', ')}`);
const [size, minutes] = [wholeNumber('size'), wholeNumber('minutes')];

const { testDatabase: server, stop } = await startTestServer('floods');
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(FLOODS)) {
    const result = await (FLOODS[name] as (typeof FLOODS)[string])(await createTestDatabase(server), {
      ...(size !== undefined && { size }),
      ...(minutes !== undefined && { minutes }),
      say: (line) => void process.stderr.write(`${line}\n`),
    });
    console.log(JSON.stringify({ flood: name, ...result.figures }, null, 2));
    for (const failure of result.failures) console.error(`FAILED: ${failure}`);
    if (result.failures.length > 0) process.exitCode = 1;
  }
} finally {
  await stop();
}

function wholeNumber(name: 'size' | 'minutes'): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} is a whole number from 1 on`);
  return Number(text);
}
