import { parseArgs } from 'node:util';
import setup from '../support/global-setup.ts';
import { createTestDatabase } from '../support/database.ts';
import { startSettlement } from '../support/settlement.ts';
import { busyAddress } from './busy-address.ts';
import { floodWithClaims } from './claims.ts';
import { floodWithDust } from './dust.ts';
import type { Flood } from './flood.ts';
import { floodRetention } from './retention.ts';

/**
 * Floods a service on a real local chain and a real database, and prints what it costs. Exits with 1 where an honest payment was not
 * paid or memory grew.
 *
 *     npm run test:floods                     all floods
 *     npm run test:floods -- claims --size 5000
 *     npm run test:floods -- retention --size 200000
 *     npm run test:floods -- busy --size 500  17 minutes instead of two
 */
const FLOODS: Record<string, Flood> = {
  claims: floodWithClaims,
  dust: floodWithDust,
  busy: busyAddress,
  retention: floodRetention,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { size: { type: 'string' } } });
const unknown = positionals.filter((name) => !(name in FLOODS));
if (unknown.length > 0)
  throw new Error(`there is no flood ${unknown.join(', ')}; there are ${Object.keys(FLOODS).join(', ')}`);
const size = values.size === undefined ? undefined : Number(values.size);
if (size !== undefined && !Number.isSafeInteger(size)) throw new Error('--size is a whole number');

let server: Parameters<typeof createTestDatabase>[0];
const stop = await setup({
  provide: (_key: string, value: typeof server) => {
    server = value;
  },
} as unknown as Parameters<typeof setup>[0]);
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(FLOODS)) {
    await using shop = await startSettlement({ database: await createTestDatabase(server) });
    const result = await (FLOODS[name] as Flood)(shop, {
      ...(size !== undefined && { size }),
      say: (line) => void process.stderr.write(`${line}\n`),
    });
    console.log(JSON.stringify({ flood: name, ...result.figures }, null, 2));
    for (const failure of result.failures) console.error(`FAILED: ${failure}`);
    if (result.failures.length > 0) process.exitCode = 1;
  }
} finally {
  await stop();
}
