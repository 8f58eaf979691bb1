import { ask } from '../../support/ask.ts';
import { withDatabase } from '../../support/global-setup.ts';
import { installShop, megabytesOf } from './install.ts';
import { startService } from './service.ts';
import { runStories } from './stories.ts';
import { runTable } from './table.ts';
import { startVendure } from './vendure.ts';

/**
 * Our payment methods in the real shops that they are for: installed from npm and from our archives, on PostgreSQL, with
 * payments and refunds on a local chain. `DATABASE_URL` names another PostgreSQL than the embedded one.
 *
 *     npm run program -- shops
 */
const VENDURE = '3.7.3';
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

tell(`installing Vendure ${VENDURE} and our archives`);
const folder = installShop('vendure', [`@vendure/core@${VENDURE}`, 'pg@8.23.1']);
tell(`${megabytesOf(folder)} MB`);

await using service = await startService();
await ask(service.databaseUrl, 'create database vendure');
let secret = '';
await using shop = await startVendure(folder, VENDURE, async (port) => {
  const url = `http://127.0.0.1:${port}/quittance/webhooks`;
  ({ secret } = await service.merchant.createEndpoint({ url, events: EVENTS }));
  return {
    DATABASE_URL: withDatabase(service.databaseUrl, 'vendure'),
    QUITTANCE_URL: service.url,
    QUITTANCE_KEY: service.merchant.liveKey,
    WEBHOOK_SECRET: secret,
    VENDURE_URL: `http://127.0.0.1:${port}`,
    STOREFRONT_URL: 'https://storefront.example.com',
  };
});
tell(`${shop.name} is ready`);
await runStories(shop, service, say);
const wrong = await runTable(shop, service, secret);
say(`the table of cases: ${wrong.length} differ`, wrong.length === 0, wrong);
