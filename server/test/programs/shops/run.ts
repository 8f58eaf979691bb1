import { parseArgs } from 'node:util';
import { ask } from '../../support/ask.ts';
import { withDatabase } from '../../support/global-setup.ts';
import { installShop, megabytesOf } from './install.ts';
import { runKills } from './kills.ts';
import { startMedusa } from './medusa.ts';
import { startService } from './service.ts';
import { payDeleted, runStories } from './stories.ts';
import { deliver, runTable } from './table.ts';
import { startVendure } from './vendure.ts';

/**
 * Our payment methods in the real shops that they are for: installed from npm and from our archives, on PostgreSQL, with
 * payments and refunds on a local chain. `--kills` says how often the shop, the service or PostgreSQL is killed.
 *
 *     npm run program -- shops [vendure] [medusa] [--kills 6]
 */
const SHOPS = {
  vendure: {
    version: '3.7.3',
    packages: ['@vendure/core@3.7.3', 'pg@8.23.1'],
    start: startVendure,
    settings: (url: string) => ({ VENDURE_URL: url, STOREFRONT_URL: 'https://storefront.example.com' }),
    webhooks: '/quittance/webhooks',
  },
  medusa: {
    version: '2.21.2',
    packages: ['medusa', 'framework', 'cli'].map((name) => `@medusajs/${name}@2.21.2`),
    start: startMedusa,
    settings: () => ({ RETURN_URL: 'https://storefront.example.com/thanks' }),
    webhooks: '/hooks/payment/quittance_quittance',
  },
};
const EVENTS = [
  ...['created', 'pending', 'routing', 'settling', 'paid', 'failed', 'expired', 'refund_required', 'refunded'].map(
    (status) => `payment.${status}`,
  ),
  ...['created', 'final', 'failed'].map((step) => `refund.${step}`),
];
const tell = (line: string) => void process.stderr.write(`${Math.round(performance.now() / 1000)} s  ${line}\n`);
function say(what: string, holds: boolean, found?: unknown): void {
  tell(`${holds ? 'ok' : 'FAILED'}  ${what}${holds || found === undefined ? '' : `: ${JSON.stringify(found)}`}`);
  if (!holds) process.exitCode = 1;
}

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '6' } },
});
const kills = Number(values.kills);
for (const [name, one] of Object.entries(SHOPS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  tell(`installing ${one.packages.join(', ')} and our archives`);
  const folder = installShop(name, one.packages);
  tell(`${megabytesOf(folder)} MB`);

  await using service = await startService();
  await ask(service.databaseUrl, `create database ${name}`);
  let secret = '';
  await using shop = await one.start(folder, one.version, async (port) => {
    const url = `http://127.0.0.1:${port}`;
    ({ secret } = await service.merchant.createEndpoint({ url: url + one.webhooks, events: EVENTS }));
    return {
      DATABASE_URL: withDatabase(service.databaseUrl, name),
      QUITTANCE_URL: service.url,
      QUITTANCE_KEY: service.merchant.liveKey,
      WEBHOOK_SECRET: secret,
      ...one.settings(url),
    };
  });
  tell(`${shop.name} is ready`);
  await runStories(shop, service, say);
  if (shop.delete) {
    const status = await payDeleted(shop, service, (event) => deliver(shop, event, secret));
    say('an event of an order that the shop deleted is taken', status === 200, status);
  }
  const { ran, wrong } = await runTable(shop, service, secret);
  say(`the table of cases: ${ran} cases, ${wrong.length} differ`, wrong.length === 0, wrong);
  const { killed, ended, orders, ...faults } = await runKills(shop, service, kills);
  say(
    `${JSON.stringify(killed)} killed, the shop ended ${ended} times with PostgreSQL, ${orders} orders: ` +
      `${faults.lost.length} lost, ${faults.capturedTwice.length} captured twice, ${faults.lowered.length} lowered`,
    Object.values(faults).flat().length === 0,
    faults,
  );
}
