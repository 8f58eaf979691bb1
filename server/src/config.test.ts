import { RECEIVE_NETWORKS } from '@quittance/contract';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { SETTINGS } from './config/settings.ts';

const KEY = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const PRODUCTION = {
  PROFILE: 'production',
  PUBLIC_URL: 'https://pay.example.com',
  MASTER_KEY: KEY,
  DATABASE_URL: 'embedded',
};

const FIXED = 'ETH=2500,SOL=150,BTC=60000,BNB=600,POL=0.5,AVAX=30,TRX=0.15,EUR=1.08';

test('nothing set is the development profile on this machine', () => {
  expect(readConfig({})).toMatchObject({
    profile: 'development',
    role: 'all',
    host: '127.0.0.1',
    port: 3000,
    publicUrl: 'http://localhost:3000',
    webhookAllowPrivate: true,
  });
});

test('an asset that cannot be added is a mistake that names those that can', () => {
  expect(() => readConfig({ EXTRA_ASSETS: 'USDT_POLYGON, USDT_BITCOIN,dogecoin' })).toThrow(
    /EXTRA_ASSETS accepts .*USDT_POLYGON.*, not "USDT_BITCOIN"\n {2}- EXTRA_ASSETS accepts .*, not "dogecoin"/,
  );
  expect(readConfig({ EXTRA_ASSETS: ' usdt_polygon , USDT_ARBITRUM' }).profile).toBe('development');
  // Every server offers it already.
  expect(() => readConfig({ EXTRA_ASSETS: 'USDC_BASE' })).toThrow(/not "USDC_BASE"/);
});

test('every setting of the table is read', () => {
  const read = new Set<string | symbol>();
  // Some settings are read only together with another.
  const variables = {
    WALLETCONNECT_PROJECT_ID: '0123456789abcdef0123456789abcdef',
    ...Object.fromEntries(
      RECEIVE_NETWORKS.map((network) => [`X402_FACILITATOR_${network.toUpperCase()}_URL`, 'https://x402.example.com']),
    ),
  };
  readConfig(
    new Proxy(variables, {
      get(target, name) {
        read.add(name);
        return Reflect.get(target, name);
      },
    }),
  );
  expect(SETTINGS.map(({ name }) => name).filter((name) => !read.has(name))).toEqual([]);
});

test('production starts with an address and a master key', () => {
  expect(readConfig(PRODUCTION)).toMatchObject({
    profile: 'production',
    publicUrl: 'https://pay.example.com',
    webhookAllowPrivate: false,
  });
});

test('the sender of mails is an address with or without a name, also at an international domain', () => {
  for (const MAIL_FROM of ['pay@example.com', '"Fern, Fog & Co." <pay@münchen.example>', 'Shop <pay@localhost>'])
    expect(readConfig({ MAIL_FROM }).mailFrom).toBe(MAIL_FROM);
});

test('production sends mails from an address of its own', () => {
  const mail = { SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'Shop <no-reply@pay.example.com>' };
  expect(readConfig({ ...PRODUCTION, ...mail }).mailFrom).toBe(mail.MAIL_FROM);
});

test('every network has three keyless providers by default, of three operators, so that a majority decides', () => {
  const operator = (url: string) => new URL(url).hostname.split('.').slice(-2).join('.');
  const { networks } = readConfig({});
  for (const { rpcUrls } of RECEIVE_NETWORKS.map((network) => networks[network])) {
    expect(new Set(rpcUrls.map(operator)).size).toBe(3);
    expect(rpcUrls.every((url) => url.startsWith('https://') && !/key|token/i.test(url))).toBe(true);
  }
});

test('WalletConnect needs a project id, and a relay that is reached by wss in production', () => {
  const id = '0123456789abcdef0123456789abcdef';
  expect(readConfig({}).walletConnect).toBeNull();
  expect(readConfig({ ...PRODUCTION, WALLETCONNECT_PROJECT_ID: id }).walletConnect).toEqual({
    projectId: id,
    relayUrl: 'wss://relay.walletconnect.org',
  });
  for (const mistake of [
    { WALLETCONNECT_PROJECT_ID: `${id.slice(1)}G` },
    { WALLETCONNECT_PROJECT_ID: id, WALLETCONNECT_RELAY_URL: 'ws://relay.example.com' },
    { WALLETCONNECT_PROJECT_ID: id, WALLETCONNECT_RELAY_URL: 'https://relay.example.com' },
    { WALLETCONNECT_PROJECT_ID: id, WALLETCONNECT_RELAY_URL: 'relay' },
  ])
    expect(() => readConfig({ ...PRODUCTION, ...mistake })).toThrow('WALLETCONNECT_');
});

test('the hourly limit of a single provider is a whole amount, 0 for never', () => {
  expect(readConfig({}).singleProviderUsdPerHour).toBe(2_000);
  expect(readConfig({ SINGLE_PROVIDER_USD_PER_HOUR: '0' }).singleProviderUsdPerHour).toBe(0);
  expect(() => readConfig({ SINGLE_PROVIDER_USD_PER_HOUR: '12.50' })).toThrow(
    'SINGLE_PROVIDER_USD_PER_HOUR must be a whole number',
  );
});

test.each([
  [{ PROFILE: 'prod' }, 'PROFILE must be one of development, production'],
  [{ ROLE: 'web' }, 'ROLE must be one of all, api, worker'],
  [{ ROLE: 'api' }, 'ROLE=api needs DATABASE_URL'],
  [{ DATABASE_DIRECT_URL: 'postgres://db/x' }, 'DATABASE_DIRECT_URL needs DATABASE_URL'],
  [{ HOST: '0.0.0.0' }, 'HOST must be a loopback address in the development profile'],
  [{ PORT: '99999' }, 'PORT must be a whole number from 0 to 65535'],
  [{ PORT: '3e3' }, 'PORT must be a whole number'],
  [{ METRICS_PORT: '3000' }, 'METRICS_PORT must differ from PORT'],
  [{ PUBLIC_URL: 'https://pay.example.com' }, 'PUBLIC_URL must be a loopback address in the development profile'],
  [{ PROFILE: 'production' }, 'PUBLIC_URL is required in production'],
  [{ PROFILE: 'production' }, 'MASTER_KEY is required in production'],
  [{ PROFILE: 'production' }, 'DATABASE_URL is required in production'],
  [{ ...PRODUCTION, ROLE: 'api' }, 'ROLE=api needs DATABASE_URL'],
  [{ ...PRODUCTION, DATABSE_URL: 'postgres://db/x' }, 'DATABSE_URL is not a setting; DATABASE_URL is'],
  [
    { ...PRODUCTION, RPC_BASE_URLS: 'http://127.0.0.1:18545,http://localhost:18546' },
    'RPC_BASE_URLS names localhost twice',
  ],
  [{ ...PRODUCTION, PUBLIC_URL: 'http://pay.example.com' }, 'PUBLIC_URL must be https in production'],
  [{ ...PRODUCTION, PUBLIC_URL: 'pay.example.com' }, 'PUBLIC_URL must be a URL like https://…'],
  [{ ...PRODUCTION, PUBLIC_URL: 'https://example.com/pay' }, 'PUBLIC_URL must be an origin without a path'],
  [{ ...PRODUCTION, MASTER_KEY: 'abc' }, 'MASTER_KEY must be 32 bytes'],
  [
    { ...PRODUCTION, WEBHOOK_ALLOW_PRIVATE: 'true' },
    'WEBHOOK_ALLOW_PRIVATE=true would let merchants reach your internal network',
  ],
  [{ ...PRODUCTION, SMTP_URL: 'smtps://mail.example.com' }, 'MAIL_FROM is required in production with SMTP_URL'],
  [
    { ...PRODUCTION, SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'Shop <shop@localhost>' },
    'MAIL_FROM is required in production with SMTP_URL',
  ],
  [{ ...PRODUCTION, CHAIN_ID_BASE: '31337' }, 'CHAIN_ID_BASE is for test chains'],
  [{ ...PRODUCTION, GENESIS_SOLANA: 'x' }, 'GENESIS_SOLANA is for test clusters'],
  [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL must be one of trace, debug'],
  [{ RATE_LIMIT_PER_SECOND: 'many' }, 'RATE_LIMIT_PER_SECOND must be a whole number of at least 1, not "many"'],
  [{ RESERVED_AMOUNTS_PER_CLIENT: '0' }, 'RESERVED_AMOUNTS_PER_CLIENT must be a whole number of at least 1'],
  [{ RETENTION_DAYS: '1.5' }, 'RETENTION_DAYS must be a whole number'],
  [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL must begin with postgres:// or postgresql://'],
  [{ DATABASE_URL: 'postgres://u:p@one,two:5433/x' }, 'DATABASE_URL must name one host'],
  [
    { DATABASE_URL: 'postgres://one/x?target_session_attrs=read-write' },
    'DATABASE_URL must not have target_session_attrs, which the driver ignores',
  ],
  [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL must begin with redis:// or rediss://'],
  [{ SMTP_URL: 'mail.example.com' }, 'SMTP_URL must begin with smtp:// or smtps://'],
  [
    { TRUSTED_PROXIES: '10.0.0.0/8,proxy' },
    'TRUSTED_PROXIES must contain addresses and ranges such as 10.0.0.1 or 10.0.0.0/8, not "proxy"',
  ],
  [{ TRUSTED_PROXIES: '10.0.0.0/64' }, 'not "10.0.0.0/64"'],
  [
    { RPC_BASE_URLS: 'https://one.example/key,two.example' },
    'RPC_BASE_URLS must be a comma-separated list of URLs like https://…; number 2 is invalid',
  ],
  [
    { RPC_BASE_URLS: 'https://one.example/key,https://two.example,https://ONE.example/other-key' },
    "RPC_BASE_URLS names one.example twice; a network's providers must be different",
  ],
  [{ RPC_ETHERUM_URLS: 'https://one.example' }, 'RPC_ETHERUM_URLS is not a setting; networks are ETHEREUM'],
  [{ CONFIRMATIONS_BASE: '0' }, 'CONFIRMATIONS_BASE must be a whole number of at least 1'],
  [{ TOKEN_USDC_BASE: '0x12' }, 'TOKEN_USDC_BASE must be an address on base'],
  [{ PRICES: 'coinbase,binance' }, 'PRICES accepts coinbase, kraken, pyth, coingecko or fixed, not "binance"'],
  [{ PRICES_FIXED: 'ETH:2500' }, 'PRICES_FIXED must contain pairs like ETH=2500'],
  [{ PRICES_FIXED: 'ETH=2500,SOL=150,BTC=60000,BNB=600,POL=0.5,AVAX=30' }, 'PRICES_FIXED has no price of TRX, EUR'],
  [{ PRICES_FIXED: `${FIXED},ETHER=2500` }, 'PRICES_FIXED prices ETH, SOL'],
  [{ PRICES_FIXED: `${FIXED},ETH=0.00` }, 'PRICES_FIXED must contain pairs like ETH=2500, not "ETH=0.00"'],
  [{ PRICES_FIXED: `${FIXED},ETH=0.${'1'.repeat(19)}` }, 'PRICES_FIXED must contain pairs like ETH=2500'],
  [{ MAIL_FROM: 'Shop' }, 'MAIL_FROM must be an email address'],
  [{ MAIL_FROM: 'Shop <shop@example.com/x>' }, 'MAIL_FROM must be an email address'],
  [{ MAIL_FROM: 'a@example.com, b@example.com' }, 'MAIL_FROM must be an email address'],
  [{ PRICES_KRAKEN_URL: 'kraken' }, 'PRICES_KRAKEN_URL must be a URL'],
  [{ ROUTES: 'uniswap' }, 'ROUTES accepts one-click, relay or none'],
  [
    { ROUTES_ONECLICK_SIGNER: 'reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc' },
    'ROUTES_ONECLICK_SIGNER must be a key like',
  ],
  [{ ROUTES_ONECLICK_SIGNER: 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVif' }, 'ROUTES_ONECLICK_SIGNER must be'],
  [{ ROUTES_FEE_RECIPIENT: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD1' }, 'ROUTES_FEE_RECIPIENT must be an Ethereum'],
  [{ ROUTES_FEE_RECIPIENT: '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }, 'ROUTES_FEE_RECIPIENT must be an Ethereum'],
  [{ ROUTES_FEE_RECIPIENT: 'Fees.near' }, 'ROUTES_FEE_RECIPIENT must be an Ethereum address'],
  [{ ROUTES_RELAY_KEY: 'a b' }, 'ROUTES_RELAY_KEY must be a key without spaces'],
  [{ ROUTES_ONECLICK_KEY: 'schlüssel' }, 'ROUTES_ONECLICK_KEY must be a key'],
  [
    { X402_FACILITATOR_BASE_URL: 'https://x402.example', X402_FACILITATOR_BASE_TOKEN: 'a\nb' },
    'X402_FACILITATOR_BASE_TOKEN must be a key',
  ],
  [{ GENESIS_SOLANA: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }, 'GENESIS_SOLANA must be 32 bytes in base58'],
  [{ TOKEN_USDC_SOLANA: '1'.repeat(44) }, 'TOKEN_USDC_SOLANA must be an address on solana'],
  [{ PRICES_KRAKEN_URL: 'https://me:hunter2@kraken.example' }, 'PRICES_KRAKEN_URL must not contain a user name'],
  [{ ROUTES_RELAY_URL: 'relay' }, 'ROUTES_RELAY_URL must be a URL'],
  [{ ROUTES_WARN_ABOVE: '20' }, 'ROUTES_WARN_ABOVE must not be above ROUTES_REFUSE_ABOVE'],
  [{ ROUTES_REFUSE_ABOVE: '-1' }, 'ROUTES_REFUSE_ABOVE must be a whole number from 0 to 1000'],
  [{ ROUTES_ONECLICK_FEE_SHARE: '101' }, 'ROUTES_ONECLICK_FEE_SHARE must be a whole number from 0 to 100'],
])('%o is refused: %s', (env, sentence) => {
  expect(() => readConfig(env as unknown as Record<string, string>)).toThrow(sentence);
});

test('all mistakes are reported at once, without passwords', () => {
  const read = () =>
    readConfig({
      PROFILE: 'production',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://me:hunter2@db/x',
      RETENTION_DAYS: 'x',
    });
  for (const name of ['PUBLIC_URL', 'MASTER_KEY', 'LOG_LEVEL', 'DATABASE_URL', 'RETENTION_DAYS'])
    expect(read).toThrow(name);
  expect(read).not.toThrow('hunter2');
});

test('every setting has a meaning, and its default is one that fits', () => {
  expect(SETTINGS.filter(({ meaning }) => !meaning)).toEqual([]);
  expect(() =>
    readConfig(Object.fromEntries(SETTINGS.map((setting) => [setting.name, setting.default]))),
  ).not.toThrow();
});
