import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import {
  CURRENCIES,
  EURO_COIN,
  EXTRA_ASSET_KEYS,
  maxRestSeconds,
  NETWORKS,
  PAY_ASSETS,
  READABLE_NETWORKS,
  RECEIVE_NETWORKS,
  type ReceiveNetwork,
} from '@quittance/contract';
import { Environment, isWebAddress } from './config/environment.ts';
import { findMisspelled } from './config/misspelled.ts';
import { SETTINGS } from './config/settings.ts';
import { isBase58, readRoutes, type RoutesConfig } from './config/routes.ts';
import { DISPLAY_CURRENCIES } from './outside/prices/prices.ts';
import { readTronAddress } from './outside/chains/pure/tron-address.ts';
import { readEmailAddress } from './platform/email-address.ts';
import { isThisMachine, readWebAddress } from './platform/web-address.ts';

const PRICE_SOURCES = ['coinbase', 'kraken', 'pyth', 'coingecko'] as const;
type PriceSourceName = (typeof PRICE_SOURCES)[number];
/** What `PRICES_FIXED` has to price, and what it may, for pages to show. The others are pegged to the dollar. */
const FIXED_PRICES = [...new Set([...PAY_ASSETS.map(({ asset }) => asset), ...CURRENCIES])].filter(
  (symbol) => !['USD', 'USDC', 'USDT', 'AED', EURO_COIN].includes(symbol),
);
const SHOWN_PRICES = DISPLAY_CURRENCIES.filter((currency) => !CURRENCIES.some((known) => known === currency));

/** The whole configuration, read once and frozen. `docs/operating.md` lists it, generated from SETTINGS. */
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
  smtpTls: 'required' | 'optional';
  mailFrom: string;
  loginMailsPerHour: number;
  receiptMailsPerDay: number;
  /** 32 bytes, or null in development: then it is made and kept in the data directory. */
  masterKey: Buffer | null;
  role: 'all' | 'api' | 'worker';
  logLevel: string;
  rateLimitPerSecond: number;
  webhookAllowPrivate: boolean;
  trustedProxies: string[];
  /** The port of `/metrics`, or null if it is at `port`. */
  metricsPort: number | null;
  /** Who may open an account once the first one exists. */
  signup: 'open' | 'invite' | 'closed';
  networks: Record<ReceiveNetwork, NetworkConfig>;
  prices: {
    sources: PriceSourceName[] | 'fixed';
    fixed: Record<string, string>;
    urls: Record<string, string>;
  };
  routes: RoutesConfig;
  /** How many exact amounts may be reserved for unpaid checkouts. */
  reservedAmounts: { perClient: number; perLink: number; perUnprovedAccount: number };
  /** The services that send payments which programs have only signed (x402), by network. */
  facilitators: Partial<Record<ReceiveNetwork, { url: string; token: string | null }>>;
  /** The limit per network and hour while only one of two providers can be asked; 0 allows nothing. */
  singleProviderUsdPerHour: number;
  retentionDays: number;
  maxPublicStreams: number;
  /** Whether `/mcp` is served. */
  mcp: boolean;
  /** The relay by which customers pay with a wallet on another device. */
  walletConnect: { projectId: string; relayUrl: string } | null;
}

export interface NetworkConfig {
  rpcUrls: string[];
  chainId: number | null;
  /** The first block of a Solana test cluster. */
  genesisHash: string | null;
  /** Overrides the rule by value and the finality tag. */
  confirmations: number | null;
  /** How often the network is looked at while no customer can pay on it; 0 if it is read without a pause. */
  restSeconds: number;
  /** Contract or mint by asset, if a test chain has its own. */
  tokens: Record<string, string>;
}

/** The value of DATABASE_URL that uses the included PostgreSQL in production. */
const EMBEDDED = 'embedded';

/** Reads the environment once. Collects every mistake before it throws. */
export function readConfig(variables: Record<string, string | undefined> = process.env): Config {
  const env = new Environment(variables);
  const port = env.integer('PORT', 0, 65_535);
  const basics = {
    profile: env.oneOf('PROFILE', ['development', 'production']),
    role: env.oneOf('ROLE', ['all', 'api', 'worker']),
    host: env.text('HOST'),
    port,
    publicUrl: env.optional('PUBLIC_URL')
      ? env.url('PUBLIC_URL', { mayHavePortZero: true })
      : `http://localhost:${port}`,
  } as const;
  const allowPrivate = env.oneOf('WEBHOOK_ALLOW_PRIVATE', ['auto', 'true', 'false']);
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL'])
    if (env.text(name).includes('target_session_attrs='))
      env.mistake(
        `${name} must not have target_session_attrs, which the driver ignores: name an address that ` +
          'always leads to the primary (docs/installing.md)',
      );
  const isEmbedded = env.text('DATABASE_URL') === EMBEDDED;
  checkAddresses(env, basics);
  checkExtraAssets(env);
  if (basics.profile === 'development') checkDevelopment(env, basics);
  else checkProduction(env, basics);

  const config = {
    ...basics,
    networks: readNetworks(env),
    prices: readPrices(env),
    routes: readRoutes(env),
    facilitators: readFacilitators(env),
    masterKey: readMasterKey(env),
    trustedProxies: readTrustedProxies(env),
    metricsPort: env.optional('METRICS_PORT') ? env.integer('METRICS_PORT', 1, 65_535) : null,
    dataDir: resolve(env.text('DATA_DIR')),
    databaseUrl: isEmbedded ? null : env.secretUrl('DATABASE_URL', ['postgres', 'postgresql']),
    databaseDirectUrl:
      env.secretUrl('DATABASE_DIRECT_URL', ['postgres', 'postgresql']) ??
      (isEmbedded ? null : env.optional('DATABASE_URL')),
    redisUrl: env.secretUrl('REDIS_URL', ['redis', 'rediss']),
    smtpUrl: env.secretUrl('SMTP_URL', ['smtp', 'smtps']),
    smtpTls: env.oneOf('SMTP_TLS', ['required', 'optional']),
    mailFrom: readMailFrom(env),
    loginMailsPerHour: env.integer('LOGIN_MAILS_PER_HOUR', 1),
    receiptMailsPerDay: env.integer('RECEIPT_MAILS_PER_DAY', 0),
    logLevel: env.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    rateLimitPerSecond: env.integer('RATE_LIMIT_PER_SECOND', 1),
    signup: readSignup(env, basics.profile),
    webhookAllowPrivate: allowPrivate === 'true' || (allowPrivate === 'auto' && basics.profile === 'development'),
    reservedAmounts: {
      perClient: env.integer('RESERVED_AMOUNTS_PER_CLIENT', 1),
      perLink: env.integer('RESERVED_AMOUNTS_PER_LINK', 1),
      perUnprovedAccount: env.integer('RESERVED_AMOUNTS_PER_UNPROVED_ACCOUNT', 1),
    },
    singleProviderUsdPerHour: env.integer('SINGLE_PROVIDER_USD_PER_HOUR', 0),
    retentionDays: env.integer('RETENTION_DAYS', 1),
    maxPublicStreams: env.integer('MAX_PUBLIC_STREAMS', 1),
    mcp: env.oneOf('MCP', ['off', 'on']) === 'on',
    walletConnect: readWalletConnect(env, basics.profile),
  };
  env.refuseMistakes();
  return Object.freeze(config);
}

type Basics = Pick<Config, 'profile' | 'role' | 'host' | 'publicUrl'>;

function checkAddresses(env: Environment, { role, publicUrl }: Basics): void {
  if (isWebAddress(publicUrl) && new URL(publicUrl).href !== `${new URL(publicUrl).origin}/`)
    env.mistake('PUBLIC_URL must be an origin without a path, like https://pay.example.com');
  if (env.text('METRICS_PORT') === env.text('PORT')) env.mistake('METRICS_PORT must differ from PORT');
  if (env.optional('DATABASE_URL') && env.text('DATABASE_URL') !== EMBEDDED) return;
  if (role !== 'all') env.mistake(`ROLE=${role} needs DATABASE_URL: the embedded database serves ROLE=all only`);
  if (env.optional('DATABASE_DIRECT_URL')) env.mistake('DATABASE_DIRECT_URL needs DATABASE_URL');
}

/** The contract has read them already, see its `extra-assets.ts`. */
function checkExtraAssets(env: Environment): void {
  for (const key of env.list('EXTRA_ASSETS'))
    if (!EXTRA_ASSET_KEYS.includes(key.toUpperCase()))
      env.mistake(`EXTRA_ASSETS accepts ${EXTRA_ASSET_KEYS.join(', ')}, not "${key}"`);
}

/** For trying the service out: other machines cannot reach it. */
function checkDevelopment(env: Environment, { host, publicUrl }: Basics): void {
  // A misspelled network would silently leave the default in place.
  for (const name of env.names())
    if (
      /^(RPC_[A-Z]+_URLS|CONFIRMATIONS_[A-Z]+|REST_SECONDS_[A-Z]+|X402_FACILITATOR_[A-Z]+_(URL|TOKEN))$/.test(name) &&
      !env.isKnown(name)
    )
      env.mistake(`${name} is not a setting; networks are ${RECEIVE_NETWORKS.join(', ').toUpperCase()}`);
  if (!isThisMachine(host))
    env.mistake(
      `HOST must be a loopback address in the development profile, not "${host}"; set PROFILE=production to serve other machines`,
    );
  if (isWebAddress(publicUrl) && !isThisMachine(new URL(publicUrl).hostname))
    env.mistake(
      'PUBLIC_URL must be a loopback address in the development profile; set PROFILE=production to serve other machines',
    );
}

/** For a server that others reach. */
function checkProduction(env: Environment, { publicUrl }: Basics): void {
  if (!env.optional('PUBLIC_URL'))
    env.mistake('PUBLIC_URL is required in production: the https URL that customers use');
  else if (isWebAddress(publicUrl) && !publicUrl.startsWith('https://'))
    env.mistake('PUBLIC_URL must be https in production');
  for (const { name, meant } of findMisspelled(
    env.names(),
    SETTINGS.map((setting) => setting.name),
  ))
    env.mistake(`${name} is not a setting${meant ? `; ${meant} is` : '. docs/operating.md lists them'}`);
  if (!env.optional('DATABASE_URL'))
    env.mistake(
      `DATABASE_URL is required in production: the address of a PostgreSQL, or "${EMBEDDED}" for the one that comes with the service`,
    );
  if (!env.optional('MASTER_KEY'))
    env.mistake('MASTER_KEY is required in production: 32 random bytes, `openssl rand -hex 32`');
  // The default sender is for development. Mail servers refuse an address at localhost.
  if (env.optional('SMTP_URL') && /@localhost>?$/i.test(env.text('MAIL_FROM')))
    env.mistake(
      'MAIL_FROM is required in production with SMTP_URL: an address that your mail server accepts, like ' +
        '"Your name <no-reply@pay.example.com>"',
    );
  if (env.text('GENESIS_SOLANA')) env.mistake('GENESIS_SOLANA is for test clusters in the development profile only');
  for (const network of RECEIVE_NETWORKS) {
    if (env.text(`CHAIN_ID_${network.toUpperCase()}`))
      env.mistake(`CHAIN_ID_${network.toUpperCase()} is for test chains in the development profile only`);
  }
  if (env.text('WEBHOOK_ALLOW_PRIVATE') === 'true')
    env.mistake(
      'WEBHOOK_ALLOW_PRIVATE=true would let merchants reach your internal network; it is not allowed in production',
    );
}

function readNetworks(env: Environment): Record<ReceiveNetwork, NetworkConfig> {
  return Object.fromEntries(READABLE_NETWORKS.map((network) => [network, readNetwork(env, network)])) as Record<
    ReceiveNetwork,
    NetworkConfig
  >;
}

function readNetwork(env: Environment, network: ReceiveNetwork): NetworkConfig {
  const name = network.toUpperCase();
  return {
    rpcUrls: readRpcUrls(env, `RPC_${name}_URLS`),
    chainId: env.text(`CHAIN_ID_${name}`) ? env.integer(`CHAIN_ID_${name}`, 1) : null,
    genesisHash: network === 'solana' ? readGenesis(env) : null,
    confirmations: env.text(`CONFIRMATIONS_${name}`) ? env.integer(`CONFIRMATIONS_${name}`, 1) : null,
    restSeconds: readRest(env, network),
    tokens: readTokens(env, network),
  };
}

/** A test chain costs nothing, so it does not rest unless that is asked for. */
function readRest(env: Environment, network: ReceiveNetwork): number {
  const name = network.toUpperCase();
  if (env.optional(`REST_SECONDS_${name}`)) return env.integer(`REST_SECONDS_${name}`, 0, maxRestSeconds(network));
  const isTestChain =
    env.text(`CHAIN_ID_${name}`) !== '' || (network === 'solana' && env.text('GENESIS_SOLANA') !== '');
  return isTestChain ? 0 : NETWORKS[network].restSeconds;
}

function readGenesis(env: Environment): string | null {
  const text = env.optional('GENESIS_SOLANA');
  if (text !== null && !isBase58(text, 32)) env.mistake(`GENESIS_SOLANA must be 32 bytes in base58, not "${text}"`);
  return text;
}

function readRpcUrls(env: Environment, name: string): string[] {
  const urls = env.list(name);
  const isAddress = (value: string) =>
    typeof readWebAddress(value, { insecure: 'anywhere', mayHaveCredentials: true }) !== 'string';
  const wrong = urls.findIndex((value) => !isAddress(value));
  if (wrong >= 0)
    env.mistake(`${name} must be a comma-separated list of URLs like https://…; number ${wrong + 1} is invalid`);
  // Such a provider would always agree with itself. Tests run several nodes on one machine.
  const isProduction = env.text('PROFILE') === 'production';
  const hosts = urls.filter(isAddress).map((value) => (isProduction ? machineOf(value) : new URL(value).host));
  const twice = hosts.find((host, at) => hosts.indexOf(host) < at);
  if (twice) env.mistake(`${name} names ${twice} twice; a network's providers must be different`);
  return urls.map((value) => value.replace(/\/+$/, ''));
}

function readTokens(env: Environment, network: ReceiveNetwork): Record<string, string> {
  const fits = (text: string) =>
    network === 'solana'
      ? isBase58(text, 32)
      : network === 'tron'
        ? 'address' in readTronAddress(text) && text.startsWith('T')
        : /^0x[0-9a-fA-F]{40}$/.test(text);
  const tokens: Record<string, string> = {};
  for (const { asset, key } of PAY_ASSETS.filter((entry) => entry.network === network)) {
    const address = env.text(`TOKEN_${key}`);
    if (!address) continue;
    if (!fits(address)) env.mistake(`TOKEN_${key} must be an address on ${network}, not "${address}"`);
    tokens[asset] = address;
  }
  return tokens;
}

/** `Name <address>`, or an address alone. */
function readMailFrom(env: Environment): string {
  const text = env.text('MAIL_FROM');
  const address = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(text)?.[1] ?? text;
  // The default sender, which is for development.
  if (readEmailAddress(address.replace(/@localhost$/i, '@localhost.example')) === undefined)
    env.mistake(`MAIL_FROM must be an email address like "Your name <no-reply@pay.example.com>", not "${text}"`);
  return text;
}

function readPrices(env: Environment): Config['prices'] {
  const fixed: Record<string, string> = {};
  for (const pair of env.list('PRICES_FIXED')) {
    const [symbol, price] = pair.split('=');
    if (!symbol || !/^[0-9]{1,12}(\.[0-9]{1,18})?$/.test(price ?? '') || Number(price) === 0)
      env.mistake(`PRICES_FIXED must contain pairs like ETH=2500, not "${pair}"`);
    else if (![...FIXED_PRICES, ...SHOWN_PRICES].some((known) => known === symbol.toUpperCase()))
      env.mistake(`PRICES_FIXED prices ${[...FIXED_PRICES, ...SHOWN_PRICES].join(', ')}, not "${symbol}"`);
    else fixed[symbol.toUpperCase()] = price as string;
  }
  // Test mode prices every coin by it, whatever the sources of live mode are.
  const missing = FIXED_PRICES.filter((symbol) => fixed[symbol] === undefined);
  if (missing.length > 0) env.mistake(`PRICES_FIXED has no price of ${missing.join(', ')}`);
  const isFixed = env.list('PRICES').join() === 'fixed';
  return {
    sources: isFixed ? 'fixed' : env.listOf('PRICES', PRICE_SOURCES, 'fixed'),
    fixed,
    urls: Object.fromEntries(PRICE_SOURCES.map((source) => [source, env.url(`PRICES_${source.toUpperCase()}_URL`)])),
  };
}

function readWalletConnect(env: Environment, profile: Config['profile']): Config['walletConnect'] {
  const projectId = env.optional('WALLETCONNECT_PROJECT_ID');
  if (!projectId) return null;
  if (!/^[0-9a-f]{32}$/.test(projectId))
    env.mistake('WALLETCONNECT_PROJECT_ID must be the 32 hexadecimal digits that WalletConnect shows for the project');
  const relayUrl = env.text('WALLETCONNECT_RELAY_URL').replace(/\/+$/, '');
  const insecure = profile === 'production' ? 'nowhere' : 'anywhere';
  if (typeof readWebAddress(relayUrl, { insecure, isSocket: true }) === 'string')
    env.mistake('WALLETCONNECT_RELAY_URL must be a URL like wss://…');
  return { projectId, relayUrl };
}

function readFacilitators(env: Environment): Config['facilitators'] {
  const facilitators: Config['facilitators'] = {};
  for (const network of RECEIVE_NETWORKS) {
    const name = `X402_FACILITATOR_${network.toUpperCase()}`;
    if (!env.optional(`${name}_URL`)) {
      if (env.optional(`${name}_TOKEN`)) env.mistake(`${name}_TOKEN is set without ${name}_URL`);
      continue;
    }
    facilitators[network] = { url: env.url(`${name}_URL`), token: env.key(`${name}_TOKEN`) };
  }
  return facilitators;
}

/** Closed by default in production: a stranger with an account can do more than one without. */
function readSignup(env: Environment, profile: Config['profile']): Config['signup'] {
  if (env.optional('SIGNUP') === null) return profile === 'development' ? 'open' : 'closed';
  return env.oneOf('SIGNUP', ['open', 'invite', 'closed']);
}

function readMasterKey(env: Environment): Buffer | null {
  const text = env.optional('MASTER_KEY');
  if (text === null) return null;
  const key = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (key.length !== 32) env.mistake('MASTER_KEY must be 32 bytes in hex or base64: `openssl rand -hex 32`');
  return key;
}

function readTrustedProxies(env: Environment): string[] {
  const proxies = env.list('TRUSTED_PROXIES');
  for (const proxy of proxies)
    if (!isAddressRange(proxy))
      env.mistake(`TRUSTED_PROXIES must contain addresses and ranges such as 10.0.0.1 or 10.0.0.0/8, not "${proxy}"`);
  return proxies;
}

/** An address, or a range of them by its prefix or by one of the names that Fastify knows. */
function isAddressRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  return (
    version !== 0 &&
    more.length === 0 &&
    (prefix === undefined ||
      (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (version === 4 ? 32 : 128)))
  );
}

/** The host of an address without its port, with one name for this machine. */
function machineOf(address: string): string {
  const { hostname } = new URL(address);
  return isThisMachine(hostname) ? 'localhost' : hostname;
}

/** The package's version, for the OpenAPI document and logs. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}
