import { readFileSync, writeFileSync } from 'node:fs';
import {
  type Asset,
  CURRENCIES,
  EXTRA_ASSET_KEYS,
  KNOWN_ASSETS,
  LIMITS,
  NETWORKS,
  PAY_ASSETS,
  RECEIVE_ASSETS,
  RECEIVE_NETWORKS,
  type ReceiveNetwork,
} from '../contract/src/index.ts';
import { SETTINGS } from '../server/src/config/settings.ts';
import { MAX_ENDPOINTS } from '../server/src/resources/webhooks/endpoints/create.ts';
import { type FinalityRule, finalityRule } from '../server/src/settlement/verification/finality.ts';
import { replaceBetween } from './between.ts';

// Writes the tables of docs/guides/coins-and-fees.md from the tables that the code uses.
export const COINS = new URL('../docs/guides/coins-and-fees.md', import.meta.url);

export function writeCoins(): void {
  writeFileSync(COINS, withCoins(readFileSync(COINS, 'utf8')));
}

export function withCoins(text: string): string {
  return [
    ['coins', coins()],
    ['extra', extra()],
    ['finality', finality()],
    ['limits', limits()],
  ].reduce(
    (whole, [name = '', table = '']) =>
      replaceBetween(
        whole,
        [`<!-- ${name}: written by \`npm run docs\` -->`, `<!-- end of ${name} -->`],
        `\n${table}\n`,
      ),
    text,
  );
}

function coins(): string {
  const onlyPaid = PAY_ASSETS.filter((asset) => !asset.receivable);
  return (
    `## Coins you can receive\n\n${byCoin(RECEIVE_ASSETS)}\n\n## Further coins your customers can pay ` +
    `with\n\nThese are converted into the coin you receive.\n\n${byCoin(onlyPaid)}`
  );
}

function extra(): string {
  const rows = KNOWN_ASSETS.filter(({ key }) => EXTRA_ASSET_KEYS.includes(key)).map(
    ({ key, asset, network, decimals, address }) =>
      `| \`${key}\` | ${asset} | ${NETWORKS[network].name} | ${decimals} | \`${address}\` |`,
  );
  return ['| Name | Coin | Network | Decimals | Contract or mint |', '|---|---|---|---|---|', ...rows].join('\n');
}

function byCoin(assets: readonly Asset[]): string {
  const rows = [...new Set(assets.map(({ asset }) => asset))].map((symbol) => {
    const networks = assets.filter(({ asset }) => asset === symbol).map(({ network }) => NETWORKS[network].name);
    return `| ${symbol} | ${networks.join(', ')} |`;
  });
  return ['| Coin | Networks |', '|---|---|', ...rows].join('\n');
}

function finality(): string {
  const rows = RECEIVE_NETWORKS.map((network) => {
    const cells = [100_00n, 5_000_00n, 50_000_00n].map((worth) => ruleOf(network, worth));
    return `| ${NETWORKS[network].name} | ${cells.join(' | ')} |`;
  });
  return ['| Network | Below 1,000 USD | Below 10,000 USD | From 10,000 USD |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function ruleOf(network: ReceiveNetwork, worth: bigint): string {
  const rule: FinalityRule = finalityRule(network, worth, null);
  return rule.type === 'confirmations' ? `${rule.count} blocks` : `the network's \`${rule.type}\` block`;
}

function limits(): string {
  const number = (value: number) => value.toLocaleString('en-US');
  const days = LIMITS.expiresInMostSeconds / 86_400;
  const rows = [
    ['Amount of a payment', `0.01 to 999,999,999.99 ${CURRENCIES.join(', ')}`],
    ['Time to pay a checkout', `${LIMITS.expiresInLeastSeconds} seconds to ${days} days, 1 hour by default`],
    ['Requests', `${settingOf('RATE_LIMIT_PER_SECOND')} per second, per account and mode; the operator can change it`],
    ['Description', `${number(LIMITS.descriptionLength)} characters`],
    ['`order_id`', `${number(LIMITS.orderIdLength)} characters`],
    ['Line items', `${number(LIMITS.lineItems)} per checkout`],
    [
      'Metadata',
      `${LIMITS.metadataPairs} pairs, keys up to ${LIMITS.metadataKeyLength} and values up to ${LIMITS.metadataValueLength} characters`,
    ],
    ['`Idempotency-Key`', `${LIMITS.idempotencyKeyLength} characters`],
    ['Webhook endpoints', `${MAX_ENDPOINTS} per account and mode`],
  ];
  return ['| What | Limit |', '|---|---|', ...rows.map(([what, limit]) => `| ${what} | ${limit} |`)].join('\n');
}

function settingOf(name: string): string {
  return SETTINGS.find((setting) => setting.name === name)?.default ?? '';
}
