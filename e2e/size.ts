import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { CheckoutRenderer, PageAssets } from '@quittance/web/checkout';
import { STATES } from './states/states.ts';

/**
 * `npm run program -- size [-- --json]`: the compressed size of what browsers load, and its limits. Fails above a
 * limit.
 */
const DIST = new URL('../web/dist/', import.meta.url);
// A thousand bytes each.
const LIMITS_KB = {
  'checkout: JavaScript at first': 30,
  'checkout: JavaScript with the Ethereum wallets': 60,
  'checkout: JavaScript with the Solana wallets': 60,
  'checkout: JavaScript with WalletConnect': 60,
  'checkout: HTML of the largest page and CSS': 25,
  'embed.js': 2,
  'dashboard: JavaScript at first': 130,
} as const;

type Measured = Record<keyof typeof LIMITS_KB, { bytes: number; limit: number; note?: string }>;

const measured = await measure();
const over = Object.entries(measured).filter(([, { bytes, limit }]) => bytes > limit);
if (process.argv.includes('--json'))
  console.log(JSON.stringify({ ok: over.length === 0, gzip_bytes: measured, integrity: integrityOfCheckout() }));
else print(measured);
if (over.length > 0) {
  console.error(`Too large: ${over.map(([name]) => name).join(', ')}.`);
  process.exitCode = 1;
}

async function measure(): Promise<Measured> {
  const checkout = readManifest('checkout');
  const client = 'checkout/client.tsx';
  const first = closure(checkout, [client]);
  const wallets = (name: string) =>
    weigh('checkout', [...first, ...closure(checkout, ['checkout/client/use-wallet.ts', chunkOf(checkout, name)])]);
  const styles = (checkout[client]?.css ?? [])
    .map((file) => gzipped(readFileSync(new URL(`checkout/${file}`, DIST))))
    .reduce((sum, bytes) => sum + bytes, 0);
  const page = await largestPage();
  const dashboard = readManifest('dashboard');
  const entry = Object.keys(dashboard).filter((key) => dashboard[key]?.isEntry);
  const bytes: Record<keyof typeof LIMITS_KB, [number, string?]> = {
    'checkout: JavaScript at first': [weigh('checkout', first)],
    'checkout: JavaScript with the Ethereum wallets': [wallets('ethereum')],
    'checkout: JavaScript with the Solana wallets': [wallets('solana')],
    'checkout: JavaScript with WalletConnect': [wallets('wallet-connect')],
    'checkout: HTML of the largest page and CSS': [page.bytes + styles, `${page.name}: ${page.bytes} + ${styles}`],
    'embed.js': [weigh('checkout', closure(checkout, ['checkout/embed.ts']))],
    'dashboard: JavaScript at first': [weigh('dashboard', closure(dashboard, entry))],
  };
  return Object.fromEntries(
    Object.entries(bytes).map(([name, [size, note]]) => [
      name,
      { bytes: size, limit: LIMITS_KB[name as keyof typeof LIMITS_KB] * 1000, ...(note && { note }) },
    ]),
  ) as Measured;
}

type Manifest = Record<string, { file: string; css?: string[]; imports?: string[]; isEntry?: boolean } | undefined>;

function readManifest(room: string): Manifest {
  return JSON.parse(readFileSync(new URL(`${room}/manifest.json`, DIST), 'utf8')) as Manifest;
}

/** A module that several pages import has no key of its own in the manifest, only its chunk. */
function chunkOf(manifest: Manifest, wallets: string): string {
  const key = `checkout/wallets/${wallets}.ts`;
  return key in manifest ? key : (Object.keys(manifest).find((one) => one.startsWith(`_${wallets}-`)) ?? key);
}

/** The files that these need before they run, including themselves. */
function closure(manifest: Manifest, keys: readonly string[], found = new Set<string>()): Set<string> {
  for (const key of keys) {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`The build holds no ${key}.`);
    if (found.has(chunk.file)) continue;
    found.add(chunk.file);
    closure(manifest, chunk.imports ?? [], found);
  }
  return found;
}

function weigh(room: string, files: Iterable<string>): number {
  return [...new Set(files)]
    .map((file) => gzipped(readFileSync(new URL(`${room}/${file}`, DIST))))
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Of every state in every language. */
async function largestPage(): Promise<{ name: string; bytes: number }> {
  const renderer = (await import(new URL('server/render.js', DIST).href)) as CheckoutRenderer;
  const hash = `sha384-${'A'.repeat(64)}`;
  const assets: PageAssets = {
    script: '/assets/checkout/assets/client-XXXXXXXX.js',
    style: '/assets/checkout/assets/client-XXXXXXXX.css',
    servedScript: '/assets/checkout/assets/served-XXXXXXXX.js',
    refundScript: '/assets/checkout/assets/refund-XXXXXXXX.js',
  };
  assets.integrity = Object.fromEntries(Object.values(assets).map((file) => [file, hash]));
  let largest = { name: '', bytes: 0 };
  for (const locale of renderer.locales) {
    for (const state of STATES) {
      const bytes = gzipped(
        Buffer.from(
          state.draw(renderer, assets, locale, 'https://pay.example.com/checkout/cs_4fzqzXm2V9pQ7rT1kB3nW8yA'),
        ),
      );
      if (bytes > largest.bytes) largest = { name: `${state.name} in ${locale}`, bytes };
    }
  }
  return largest;
}

/** The hashes of the checkout's files: anyone who builds the same sources can compare a served page with them. */
function integrityOfCheckout(): Record<string, string> {
  const files = Object.values(readManifest('checkout')).flatMap((chunk) =>
    chunk ? [chunk.file, ...(chunk.css ?? [])] : [],
  );
  return Object.fromEntries(
    [...new Set(files)].map((file) => [
      file,
      `sha384-${createHash('sha384')
        .update(readFileSync(new URL(`checkout/${file}`, DIST)))
        .digest('base64')}`,
    ]),
  );
}

function gzipped(bytes: Buffer): number {
  return gzipSync(bytes, { level: 9 }).length;
}

function print(sizes: Measured): void {
  for (const [name, { bytes, limit, note }] of Object.entries(sizes)) {
    const kilobytes = (bytes / 1000).toFixed(1).padStart(6);
    console.log(
      `${name.padEnd(48)}${kilobytes} kB of ` +
        `${String(limit / 1000).padStart(3)}${bytes > limit ? '  TOO LARGE' : ''}${note ? `  (${note})` : ''}`,
    );
  }
}
