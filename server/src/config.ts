import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { PAY_ASSETS, RECEIVE_ASSETS, RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import { CannotStart } from './platform/errors.ts';

/** Everything the environment decides, read once, typed and frozen. `docs/operating.md` lists it, generated from SETTINGS. */
export interface Config {
  profile: 'development' | 'production';
  host: string;
  port: number;
  /** Without a trailing slash. */
  publicUrl: string;
  dataDir: string;
  databaseUrl: string | null;
  databaseDirectUrl: string | null;
  redisUrl: string | null;
  smtpUrl: string | null;
  mailFrom: string;
  /** 32 bytes, or null in development: then it is made and kept in the data directory. */
  masterKey: Buffer | null;
  role: 'all' | 'api' | 'worker';
  logLevel: string;
  rateLimitPerSecond: number;
  webhookAllowPrivate: boolean;
  trustedProxies: string[];
  networks: Record<ReceiveNetwork, NetworkConfig>;
  prices: { sources: ('coinbase' | 'kraken' | 'pyth' | 'coingecko')[] | 'fixed'; fixed: Record<string, string>; urls: Record<string, string> };
  routes: {
    providers: ('one-click' | 'relay')[];
    oneClick: { url: string; key: string | null; signer: string; feeSharePercent: number };
    relay: { url: string; key: string | null };
    feeRecipient: string | null;
  };
  openTargetsPerAddress: number;
  retentionDays: number;
}

export interface NetworkConfig {
  rpcUrls: string[];
  chainId: number | null;
  /** The first block of a test cluster of Solana. */
  genesisHash: string | null;
  /** Overrides the rule by value and the finality tag. */
  confirmations: number | null;
  /** Contract or mint by asset, where a test chain has its own. */
  tokens: Record<string, string>;
}

interface Setting {
  name: string;
  default: string;
  meaning: string;
}

const DEFAULT_RPC_URLS: Record<ReceiveNetwork, string> = {
  ethereum: 'https://ethereum.reth.rs/rpc,https://ethereum-rpc.publicnode.com',
  base: 'https://mainnet.base.org,https://base-rpc.publicnode.com',
  polygon: 'https://polygon.drpc.org,https://polygon-bor-rpc.publicnode.com',
  arbitrum: 'https://arb1.arbitrum.io/rpc,https://arbitrum-one-rpc.publicnode.com',
  solana: 'https://api.mainnet-beta.solana.com,https://solana-rpc.publicnode.com',
};

const perNetwork: Setting[] = RECEIVE_NETWORKS.flatMap((network) => {
  const name = network.toUpperCase();
  return [
    { name: `RPC_${name}_URLS`, default: DEFAULT_RPC_URLS[network], meaning: `Comma list of RPC addresses of ${network}; two or more, of different providers, are held against each other.` },
    { name: `CONFIRMATIONS_${name}`, default: '', meaning: 'Confirmations that make a transfer final; overrides the rule by value. The block of inclusion is the first.' },
    network === 'solana'
      ? { name: 'GENESIS_SOLANA', default: '', meaning: 'Genesis hash of a test cluster. Development profile only.' }
      : { name: `CHAIN_ID_${name}`, default: '', meaning: 'Chain id of a test chain. Development profile only.' },
  ];
});

const perToken: Setting[] = RECEIVE_ASSETS.filter((entry) => entry.asset !== 'ETH' && entry.asset !== 'SOL').map((entry) => ({
  name: `TOKEN_${entry.key}`,
  default: '',
  meaning: `Contract or mint of ${entry.asset} on ${entry.network}, where a test chain has its own.`,
}));

/** Every setting there is, with its default; the one table that documentation, `.env.example` and parsing share. */
export const SETTINGS: readonly Setting[] = [
  { name: 'PROFILE', default: 'development', meaning: '`development` (loopback only) or `production`.' },
  { name: 'HOST', default: '127.0.0.1', meaning: 'Address to listen on.' },
  { name: 'PORT', default: '3000', meaning: 'Port to listen on.' },
  { name: 'PUBLIC_URL', default: '', meaning: 'Where customers and merchants reach the service; `http://localhost:PORT` unless set. Required in production.' },
  { name: 'DATA_DIR', default: './data', meaning: 'Where the embedded database, mails and the development master key are kept.' },
  { name: 'DATABASE_URL', default: '', meaning: 'A PostgreSQL 15 or newer. Without it an embedded one runs below DATA_DIR (ROLE=all only).' },
  { name: 'DATABASE_DIRECT_URL', default: '', meaning: 'A direct connection for LISTEN and migrations, where DATABASE_URL goes through a transaction-pooling proxy.' },
  { name: 'REDIS_URL', default: '', meaning: 'Redis or Valkey that shares rate limits between several API processes.' },
  { name: 'SMTP_URL', default: '', meaning: 'Mail server, `smtps://user:password@host`. Without it mails are files below DATA_DIR/mail in development; in production email login is off.' },
  { name: 'MAIL_FROM', default: 'Quittance <no-reply@localhost>', meaning: 'Sender of mails.' },
  { name: 'MASTER_KEY', default: '', meaning: '32 bytes in hex or base64 that seal secrets at rest. Required in production; made and kept in DATA_DIR in development.' },
  { name: 'ROLE', default: 'all', meaning: '`all`, `api` (requests) or `worker` (chains and due work).' },
  { name: 'LOG_LEVEL', default: 'info', meaning: '`trace`, `debug`, `info`, `warn`, `error`, `silent`.' },
  { name: 'RATE_LIMIT_PER_SECOND', default: '100', meaning: 'Requests per second and account and mode.' },
  { name: 'WEBHOOK_ALLOW_PRIVATE', default: 'auto', meaning: 'Whether webhooks may go to private addresses and plain http: `auto` (in development), `true`, `false`.' },
  { name: 'TRUSTED_PROXIES', default: '', meaning: 'Comma list of proxy addresses or ranges whose `X-Forwarded-For` is believed.' },
  ...perNetwork,
  ...perToken,
  { name: 'TOKEN_ETH_ETHEREUM', default: '', meaning: 'Address that logs native transfers once Ethereum does (EIP-7708: `0xfffffffffffffffffffffffffffffffffffffffe`). Whole blocks need not be read then.' },
  { name: 'PRICES', default: 'coinbase,kraken,pyth,coingecko', meaning: 'Comma list of price sources, or `fixed`.' },
  { name: 'PRICES_FIXED', default: 'ETH=2500,SOL=150,BTC=60000,BNB=600,POL=0.5,AVAX=30,TRX=0.15,EUR=1.08', meaning: 'The fixed table in USD: test mode, and live mode with `PRICES=fixed`.' },
  { name: 'PRICES_COINBASE_URL', default: 'https://api.coinbase.com', meaning: 'Base address of the source.' },
  { name: 'PRICES_KRAKEN_URL', default: 'https://api.kraken.com', meaning: 'Base address of the source.' },
  { name: 'PRICES_PYTH_URL', default: 'https://hermes.pyth.network', meaning: 'Base address of the source.' },
  { name: 'PRICES_COINGECKO_URL', default: 'https://api.coingecko.com', meaning: 'Base address of the source.' },
  { name: 'ROUTES', default: 'one-click,relay', meaning: 'Comma list of route providers in the order they are asked, or `none`.' },
  { name: 'ROUTES_ONECLICK_URL', default: 'https://1click.chaindefuser.com', meaning: 'Base address of the 1Click API.' },
  { name: 'ROUTES_ONECLICK_KEY', default: '', meaning: 'Its API key; without one it charges a little more.' },
  { name: 'ROUTES_ONECLICK_SIGNER', default: 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc', meaning: 'The key its quotes are signed with.' },
  { name: 'ROUTES_ONECLICK_FEE_SHARE', default: '50', meaning: 'The least share of the service fee that 1Click must leave to `ROUTES_FEE_RECIPIENT`, in per cent; a quote with less is refused. Its standard terms share half.' },
  { name: 'ROUTES_RELAY_URL', default: 'https://api.relay.link', meaning: 'Base address of the Relay API.' },
  { name: 'ROUTES_RELAY_KEY', default: '', meaning: 'Its API key.' },
  { name: 'ROUTES_FEE_RECIPIENT', default: '', meaning: 'Account the service fee of routed payments goes to: an Ethereum address that both providers know, or an account of NEAR Intents, with which Relay is left out. Without it live routed payments are off in production.' },
  { name: 'OPEN_TARGETS_PER_ADDRESS', default: '500', meaning: 'Open exact amounts per account and payout address.' },
  { name: 'RETENTION_DAYS', default: '90', meaning: 'How long events and delivery attempts are kept at least; whole months are dropped.' },
];

/** The environment did not make a configuration; the message names everything that is wrong at once. */
class ConfigError extends CannotStart {
  override readonly name = 'ConfigError';
}

/** Reads the environment once. Collects every mistake before it throws. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const mistakes: string[] = [];
  const defaults = new Map(SETTINGS.map((setting) => [setting.name, setting.default]));
  const text = (name: string): string => env[name]?.trim() || (defaults.get(name) ?? '');
  const optional = (name: string): string | null => text(name) || null;
  const list = (name: string): string[] => text(name).split(',').map((part) => part.trim()).filter(Boolean);
  const integer = (name: string, least: number, most = Number.MAX_SAFE_INTEGER): number => {
    const value = Number(text(name));
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    if (!/^[0-9]+$/.test(text(name)) || value < least || value > most) mistakes.push(`${name} must be a whole number ${range}, not "${text(name)}"`);
    return value;
  };
  const oneOf = <T extends string>(name: string, values: readonly T[]): T => {
    const value = text(name) as T;
    if (!values.includes(value)) mistakes.push(`${name} must be one of ${values.join(', ')}, not "${value}"`);
    return value;
  };
  const url = (name: string, value = text(name)): string => {
    if (!isWebAddress(value)) mistakes.push(`${name} must be an address like https://…, not "${value}"`);
    return value.replace(/\/+$/, '');
  };
  // These carry passwords and keys, so what is wrong is told without showing them.
  const secretUrl = (name: string, schemes: string[]): string | null => {
    const value = optional(name);
    if (value && !(URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1)))) mistakes.push(`${name} must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
    return value;
  };

  const profile = oneOf('PROFILE', ['development', 'production']);
  const role = oneOf('ROLE', ['all', 'api', 'worker']);
  const port = integer('PORT', 0, 65_535);
  const host = text('HOST');
  const publicUrl = optional('PUBLIC_URL') ? url('PUBLIC_URL') : `http://localhost:${port}`;
  if (isWebAddress(publicUrl) && new URL(publicUrl).href !== `${new URL(publicUrl).origin}/`) mistakes.push('PUBLIC_URL must be a host of its own, like https://pay.example.com, with nothing behind it');
  const allowPrivate = oneOf('WEBHOOK_ALLOW_PRIVATE', ['auto', 'true', 'false']);

  if (profile === 'production') {
    if (!optional('PUBLIC_URL')) mistakes.push('PUBLIC_URL is required in production: the https address customers reach this service at');
    else if (isWebAddress(publicUrl) && !publicUrl.startsWith('https://')) mistakes.push('PUBLIC_URL must be https in production');
    if (!optional('MASTER_KEY')) mistakes.push('MASTER_KEY is required in production: 32 random bytes, `openssl rand -hex 32`');
    if (text('GENESIS_SOLANA')) mistakes.push('GENESIS_SOLANA is for test clusters in the development profile only');
    for (const network of RECEIVE_NETWORKS) {
      if (text(`CHAIN_ID_${network.toUpperCase()}`)) mistakes.push(`CHAIN_ID_${network.toUpperCase()} is for test chains in the development profile only`);
    }
    if (allowPrivate === 'true') mistakes.push('WEBHOOK_ALLOW_PRIVATE=true would let merchants reach your internal network; it is refused in production');
  } else {
    if (!isLoopback(host)) mistakes.push(`HOST must be a loopback address in the development profile, not "${host}"; set PROFILE=production to serve others`);
    if (isWebAddress(publicUrl) && !isLoopback(new URL(publicUrl).hostname)) mistakes.push('PUBLIC_URL must be a loopback address in the development profile; set PROFILE=production to serve others');
  }
  if (role !== 'all' && !text('DATABASE_URL')) mistakes.push(`ROLE=${role} needs DATABASE_URL: the embedded database serves ROLE=all only`);

  // A misspelt one would leave the default in place without a word.
  for (const name of Object.keys(env)) {
    if (/^(RPC_[A-Z]+_URLS|CONFIRMATIONS_[A-Z]+)$/.test(name) && !defaults.has(name)) mistakes.push(`${name} is no setting; networks are ${RECEIVE_NETWORKS.join(', ').toUpperCase()}`);
  }
  const networks = Object.fromEntries(RECEIVE_NETWORKS.map((network) => {
    const name = network.toUpperCase();
    const tokens = Object.fromEntries(PAY_ASSETS.filter((entry) => entry.network === network && text(`TOKEN_${entry.key}`))
      .map((entry) => [entry.asset, text(`TOKEN_${entry.key}`)]));
    for (const [asset, address] of Object.entries(tokens)) {
      const fits = network === 'solana' ? /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ : /^0x[0-9a-fA-F]{40}$/;
      if (!fits.test(address)) mistakes.push(`TOKEN_${asset}_${name} must be an address on ${network}, not "${address}"`);
    }
    const rpcUrls = list(`RPC_${name}_URLS`);
    if (!rpcUrls.every(isWebAddress)) mistakes.push(`RPC_${name}_URLS must be a comma list of addresses like https://…; number ${rpcUrls.findIndex((value) => !isWebAddress(value)) + 1} is none`);
    // It would agree with itself, whatever it says.
    const twice = firstTwice(rpcUrls.filter(isWebAddress).map((value) => new URL(value).host));
    if (twice) mistakes.push(`RPC_${name}_URLS names ${twice} twice; what is held against each other must be different providers`);
    return [network, {
      rpcUrls: rpcUrls.map((value) => value.replace(/\/+$/, '')),
      chainId: text(`CHAIN_ID_${name}`) ? integer(`CHAIN_ID_${name}`, 1) : null,
      genesisHash: network === 'solana' ? text('GENESIS_SOLANA') || null : null,
      confirmations: text(`CONFIRMATIONS_${name}`) ? integer(`CONFIRMATIONS_${name}`, 1) : null,
      tokens,
    }];
  })) as Record<ReceiveNetwork, NetworkConfig>;

  const sources = list('PRICES');
  const knownSources = ['coinbase', 'kraken', 'pyth', 'coingecko'] as const;
  const fixed: Record<string, string> = {};
  for (const pair of list('PRICES_FIXED')) {
    const [symbol, price] = pair.split('=');
    if (!symbol || !/^[0-9]+(\.[0-9]+)?$/.test(price ?? '')) mistakes.push(`PRICES_FIXED holds pairs like ETH=2500, not "${pair}"`);
    else fixed[symbol.toUpperCase()] = price as string;
  }
  const isFixed = sources.length === 1 && sources[0] === 'fixed';
  if (!isFixed) for (const source of sources) if (!knownSources.includes(source as never)) mistakes.push(`PRICES knows ${knownSources.join(', ')} or fixed, not "${source}"`);

  const providers = text('ROUTES') === 'none' ? [] : list('ROUTES');
  for (const provider of providers) if (provider !== 'one-click' && provider !== 'relay') mistakes.push(`ROUTES knows one-click, relay or none, not "${provider}"`);

  const masterKey = text('MASTER_KEY') ? parseKey(text('MASTER_KEY')) : null;
  if (text('MASTER_KEY') && masterKey?.length !== 32) mistakes.push('MASTER_KEY must be 32 bytes in hex or base64: `openssl rand -hex 32`');

  const trustedProxies = list('TRUSTED_PROXIES');
  for (const proxy of trustedProxies) if (!isAddressRange(proxy)) mistakes.push(`TRUSTED_PROXIES holds addresses and ranges such as 10.0.0.1 or 10.0.0.0/8, not "${proxy}"`);

  const config = {
    profile, role, host, port, publicUrl, networks, masterKey, trustedProxies,
    dataDir: resolve(text('DATA_DIR')),
    databaseUrl: secretUrl('DATABASE_URL', ['postgres', 'postgresql']),
    databaseDirectUrl: secretUrl('DATABASE_DIRECT_URL', ['postgres', 'postgresql']) ?? optional('DATABASE_URL'),
    redisUrl: secretUrl('REDIS_URL', ['redis', 'rediss']),
    smtpUrl: secretUrl('SMTP_URL', ['smtp', 'smtps']),
    mailFrom: text('MAIL_FROM'),
    logLevel: oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    rateLimitPerSecond: integer('RATE_LIMIT_PER_SECOND', 1),
    webhookAllowPrivate: allowPrivate === 'true' || (allowPrivate === 'auto' && profile === 'development'),
    prices: {
      sources: isFixed ? 'fixed' as const : (sources as (typeof knownSources)[number][]),
      fixed,
      urls: Object.fromEntries(knownSources.map((source) => [source, url(`PRICES_${source.toUpperCase()}_URL`)])),
    },
    routes: {
      providers: providers as ('one-click' | 'relay')[],
      oneClick: {
        url: url('ROUTES_ONECLICK_URL'), key: optional('ROUTES_ONECLICK_KEY'), signer: text('ROUTES_ONECLICK_SIGNER'),
        feeSharePercent: integer('ROUTES_ONECLICK_FEE_SHARE', 0, 100),
      },
      relay: { url: url('ROUTES_RELAY_URL'), key: optional('ROUTES_RELAY_KEY') },
      feeRecipient: optional('ROUTES_FEE_RECIPIENT'),
    },
    openTargetsPerAddress: integer('OPEN_TARGETS_PER_ADDRESS', 1),
    retentionDays: integer('RETENTION_DAYS', 1),
  };

  if (mistakes.length > 0) throw new ConfigError(`The settings do not fit:\n${mistakes.map((line) => `  - ${line}`).join('\n')}`);

  return Object.freeze(config);
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function firstTwice(values: string[]): string | undefined {
  return values.find((value, at) => values.indexOf(value) < at);
}

/** An address, or a range of them by its prefix or by one of the names that Fastify knows. */
function isAddressRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  return version !== 0 && more.length === 0 && (prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128)));
}

/** Whether a host name or address stands for this machine itself. */
function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function parseKey(text: string): Buffer {
  return /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
}

/** The version in the package, for the OpenAPI document and logs. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}
