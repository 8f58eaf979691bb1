import {
  EXTRA_ASSET_KEYS,
  maxRestSeconds,
  NETWORKS,
  RECEIVE_ASSETS,
  RECEIVE_NETWORKS,
  type ReceiveNetwork,
} from '@quittance/contract';

interface Setting {
  name: string;
  default: string;
  meaning: string;
}

/** Without keys, and from three operators each, so that a majority decides (decision 12). */
const DEFAULT_RPC_URLS: Record<ReceiveNetwork, string> = {
  ethereum: 'https://ethereum.reth.rs/rpc,https://ethereum-rpc.publicnode.com,https://mainnet.gateway.tenderly.co',
  base: 'https://mainnet.base.org,https://base-rpc.publicnode.com,https://base.gateway.tenderly.co',
  polygon: 'https://polygon.drpc.org,https://polygon-bor-rpc.publicnode.com,https://polygon.gateway.tenderly.co',
  arbitrum: 'https://arb1.arbitrum.io/rpc,https://arbitrum-one-rpc.publicnode.com,https://arbitrum.gateway.tenderly.co',
  tron: 'https://api.trongrid.io/jsonrpc,https://tron-rpc.publicnode.com/jsonrpc,https://tron.drpc.org',
  bnb: 'https://bsc-rpc.publicnode.com,https://bsc.drpc.org,https://bsc.gateway.tenderly.co',
  tempo: 'https://rpc.tempo.xyz,https://tempo-rpc.publicnode.com,https://tempo.drpc.org',
  solana:
    'https://api.mainnet-beta.solana.com,https://solana-rpc.publicnode.com,https://solana.api.onfinality.io/public',
};

export const defaultRpcUrls = (network: ReceiveNetwork): string => DEFAULT_RPC_URLS[network];

const perNetwork: Setting[] = RECEIVE_NETWORKS.flatMap((network) => {
  const name = network.toUpperCase();
  return [
    {
      name: `RPC_${name}_URLS`,
      default: DEFAULT_RPC_URLS[network],
      meaning:
        `Comma-separated list of RPC URLs of ${network}, of different providers. Of two, both must agree ` +
        'on a transfer; of three or more, a majority decides.',
    },
    {
      name: `CONFIRMATIONS_${name}`,
      default: '',
      meaning:
        'Confirmations that make a transfer final; overrides the rule by value. The block of inclusion is the first.',
    },
    {
      name: `REST_SECONDS_${name}`,
      default: '',
      meaning:
        `Seconds between two looks at ${network} while no customer can pay on it, up to ${maxRestSeconds(network)}. ` +
        `Default: ${NETWORKS[network].restSeconds}. Late money is found that much later. 0: no rest.`,
    },
    {
      name: `X402_FACILITATOR_${name}_URL`,
      default: '',
      meaning:
        `x402 facilitator that sends payments on ${network} which programs have only signed, and pays the ` +
        'network fee. Without it, programs send their own transactions.',
    },
    {
      name: `X402_FACILITATOR_${name}_TOKEN`,
      default: '',
      meaning: 'Bearer token that is sent to it.',
    },
    network !== 'solana'
      ? { name: `CHAIN_ID_${name}`, default: '', meaning: 'Chain id of a test chain. Development profile only.' }
      : { name: `GENESIS_${name}`, default: '', meaning: 'Genesis hash of a test cluster. Development profile only.' },
  ];
});

const perToken: Setting[] = RECEIVE_ASSETS.filter((entry) => entry.address !== null).map((entry) => ({
  name: `TOKEN_${entry.key}`,
  default: '',
  meaning: `Contract or mint of ${entry.asset} on ${entry.network}, if a test chain has its own.`,
}));

/** Every setting with its default, in groups; documentation, `.env.example` and parsing share this table. */
export const SETTING_GROUPS: readonly { title: string; settings: readonly Setting[] }[] = [
  {
    title: 'The server',
    settings: [
      { name: 'PROFILE', default: 'development', meaning: '`development` (loopback only) or `production`.' },
      {
        name: 'PUBLIC_URL',
        default: '',
        meaning:
          'URL of the server for customers and merchants. Default: `http://localhost:PORT`. Required in production.',
      },
      { name: 'HOST', default: '127.0.0.1', meaning: 'Address to listen on.' },
      { name: 'PORT', default: '3000', meaning: 'Port to listen on.' },
      {
        name: 'TRUSTED_PROXIES',
        default: '',
        meaning: 'Comma-separated list of proxy addresses or ranges whose `X-Forwarded-For` is trusted.',
      },
      { name: 'ROLE', default: 'all', meaning: '`all`, `api` (requests) or `worker` (chains and due work).' },
      {
        name: 'METRICS_PORT',
        default: '',
        meaning:
          'Port on which `HOST` answers `/metrics` and a whole `/readyz`, to everyone who reaches it: for ' +
          'monitoring, never for a proxy. Without it, they are at `PORT`, for this machine and private networks, ' +
          'but not for requests that a proxy sent or that come from an address in `TRUSTED_PROXIES`: set it if a ' +
          'proxy runs on this machine.',
      },
      {
        name: 'LOG_LEVEL',
        default: 'info',
        meaning: '`trace`, `debug`, `info`, `warn`, `error`, or `silent`, which mails and counts no alarm either.',
      },
      {
        name: 'MASTER_KEY',
        default: '',
        meaning:
          '32 bytes in hex or base64 that seal secrets at rest. Required in production; created in DATA_DIR in development.',
      },
      {
        name: 'SIGNUP',
        default: '',
        meaning:
          'Who may open an account after the first: `open` (everyone), `invite` (with a link from the ' +
          'operator) or `closed` (no one). `closed` in production and `open` in development unless set. In ' +
          'production the first account always needs the setup link from the log.',
      },
      {
        name: 'WEBHOOK_ALLOW_PRIVATE',
        default: 'auto',
        meaning:
          'Whether webhooks may go to private addresses and plain http: `auto` (in development), `true`, `false`.',
      },
      {
        name: 'MCP',
        default: 'off',
        meaning: '`on` serves the tools for programs that speak MCP at `/mcp`, to keys by their scopes.',
      },
    ],
  },
  {
    title: 'Database',
    settings: [
      {
        name: 'DATA_DIR',
        default: './data',
        meaning: 'Directory of the embedded database, mails and the development master key.',
      },
      {
        name: 'DATABASE_URL',
        default: '',
        meaning:
          'A PostgreSQL 15 or newer, or `embedded` for the one that comes with the service and stores below ' +
          'DATA_DIR (ROLE=all only). Required in production; `embedded` in development unless set.',
      },
      {
        name: 'DATABASE_DIRECT_URL',
        default: '',
        meaning:
          'A direct connection for LISTEN and migrations. Required if DATABASE_URL points to a transaction-pooling proxy.',
      },
      {
        name: 'REDIS_URL',
        default: '',
        meaning: 'Redis or Valkey that shares rate limits between several API processes.',
      },
      {
        name: 'RETENTION_DAYS',
        default: '90',
        meaning:
          'Minimum retention of events and delivery attempts; whole months are dropped. Checkouts that were ' +
          'never started are deleted after it, at the earliest after 32 days.',
      },
    ],
  },
  {
    title: 'Mail',
    settings: [
      {
        name: 'SMTP_URL',
        default: '',
        meaning:
          'Mail server, `smtps://user:password@host`. Without it mails are files below DATA_DIR/mail in ' +
          'development; in production email login is off.',
      },
      {
        name: 'SMTP_TLS',
        default: 'required',
        meaning:
          'With `smtp://`, whether the mail server must offer STARTTLS: `required`, or `optional`, where ' +
          'mails and the password may travel unencrypted. A server on this machine needs none.',
      },
      {
        name: 'MAIL_FROM',
        default: 'Quittance <no-reply@localhost>',
        meaning: 'Sender of mails, an address that the mail server accepts. Required in production with SMTP_URL.',
      },
      {
        name: 'LOGIN_MAILS_PER_HOUR',
        default: '300',
        meaning:
          'Maximum login mails of the server within an hour. Half of them are kept for addresses that have ' +
          'an account. See [limits of login mails](#limits-of-login-mails).',
      },
      {
        name: 'RECEIPT_MAILS_PER_DAY',
        default: '500',
        meaning:
          'Maximum receipts by mail to customers within 24 hours, per account and mode; 0 sends none. See ' +
          '[limits of receipts by mail](#limits-of-receipts-by-mail).',
      },
    ],
  },
  {
    title: 'Coins and wallets',
    settings: [
      {
        name: 'EXTRA_ASSETS',
        default: '',
        meaning:
          'Comma-separated list of assets that merchants may receive and customers may pay with, beside the ' +
          `usual ones: ${EXTRA_ASSET_KEYS.map((key) => `\`${key}\``).join(', ')}. See \`docs/guides/coins-and-fees.md\`.`,
      },
      {
        name: 'WALLETCONNECT_PROJECT_ID',
        default: '',
        meaning:
          'Project ID of WalletConnect. With it, customers at a desktop pay on EVM networks with a wallet on ' +
          'their phone. Their browser then talks to the relay.',
      },
      { name: 'WALLETCONNECT_RELAY_URL', default: 'wss://relay.walletconnect.org', meaning: 'Its relay.' },
      {
        name: 'PRICES',
        default: 'coinbase,kraken,pyth,coingecko',
        meaning: 'Comma-separated list of price sources, or `fixed`.',
      },
      {
        name: 'PRICES_FIXED',
        default: 'ETH=2500,SOL=150,BTC=60000,BNB=600,POL=0.5,AVAX=30,TRX=0.15,EUR=1.08',
        meaning:
          'Fixed prices in USD, for test mode and for live mode with `PRICES=fixed`. Prices of further currencies, ' +
          'such as `GBP=1.27`, only let pages estimate in them.',
      },
      { name: 'PRICES_COINBASE_URL', default: 'https://api.coinbase.com', meaning: 'Base URL of the source.' },
      { name: 'PRICES_KRAKEN_URL', default: 'https://api.kraken.com', meaning: 'Base URL of the source.' },
      { name: 'PRICES_PYTH_URL', default: 'https://hermes.pyth.network', meaning: 'Base URL of the source.' },
      { name: 'PRICES_COINGECKO_URL', default: 'https://api.coingecko.com', meaning: 'Base URL of the source.' },
    ],
  },
  {
    title: 'Conversions',
    settings: [
      {
        name: 'ROUTES',
        default: 'one-click,relay',
        meaning: 'Comma-separated list of route providers in the order they are queried, or `none`.',
      },
      {
        name: 'ROUTES_ONECLICK_URL',
        default: 'https://1click.chaindefuser.com',
        meaning: 'Base URL of the 1Click API.',
      },
      { name: 'ROUTES_ONECLICK_KEY', default: '', meaning: 'API key of 1Click, which charges more without one.' },
      {
        name: 'ROUTES_ONECLICK_SIGNER',
        default: 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc',
        meaning: 'The key that signs 1Click quotes.',
      },
      {
        name: 'ROUTES_ONECLICK_FEE_SHARE',
        default: '50',
        meaning:
          'Minimum share of the service fee that 1Click must leave to `ROUTES_FEE_RECIPIENT`, in percent; a ' +
          'quote with less is rejected. Its standard terms share half.',
      },
      { name: 'ROUTES_RELAY_URL', default: 'https://api.relay.link', meaning: 'Base URL of the Relay API.' },
      { name: 'ROUTES_RELAY_KEY', default: '', meaning: 'API key of Relay.' },
      {
        name: 'ROUTES_FEE_RECIPIENT',
        default: '',
        meaning:
          'Account that receives the service fee of routed payments: an Ethereum address, which both ' +
          'providers support, or an account of NEAR Intents, which disables Relay. Without it, live routed payments are off in production.',
      },
      {
        name: 'ROUTES_WARN_ABOVE',
        default: '5',
        meaning:
          'Maximum price difference between input and output of a route, in percent, before the customer is ' +
          'warned. Test mode uses the fixed prices.',
      },
      {
        name: 'ROUTES_REFUSE_ABOVE',
        default: '15',
        meaning: 'Price difference, in percent, above which a route is not offered and the next provider is queried.',
      },
    ],
  },
  {
    title: 'Limits',
    settings: [
      { name: 'RATE_LIMIT_PER_SECOND', default: '100', meaning: 'Requests per second, per account and mode.' },
      {
        name: 'MAX_PUBLIC_STREAMS',
        default: '5000',
        meaning: 'Maximum checkout pages per process that are updated by server-sent events; the others poll.',
      },
      {
        name: 'RESERVED_AMOUNTS_PER_CLIENT',
        default: '200',
        meaning:
          'Exact amounts that one client address may have reserved for checkouts that no one has paid. See ' +
          '[how many checkouts one wallet serves](#how-many-checkouts-one-wallet-serves).',
      },
      {
        name: 'RESERVED_AMOUNTS_PER_LINK',
        default: '10000',
        meaning: 'The same, for one payment link.',
      },
      {
        name: 'RESERVED_AMOUNTS_PER_UNPROVED_ACCOUNT',
        default: '2000',
        meaning: 'The same, for an account, over all addresses that it has not proved to own.',
      },
      {
        name: 'SINGLE_PROVIDER_USD_PER_HOUR',
        default: '2000',
        meaning:
          'With two RPC providers, one of which has been unreachable for ten minutes: how much may be ' +
          'settled by the other one alone, in whole US dollars per network and hour. Single payments of ' +
          '1,000 dollars or more always wait. 0 is never.',
      },
    ],
  },
  {
    title: 'Networks',
    settings: [
      ...perNetwork,
      ...perToken,
      {
        name: 'TOKEN_ETH_ETHEREUM',
        default: '',
        meaning:
          'Address that logs native transfers once Ethereum supports it (EIP-7708: ' +
          '`0xfffffffffffffffffffffffffffffffffffffffe`). Whole blocks are then not read.',
      },
    ],
  },
];

export const SETTINGS: readonly Setting[] = SETTING_GROUPS.flatMap(({ settings }) => settings);

/** What a server needs before strangers use it, with an example of each. `.env.example` begins with them. */
export const PRODUCTION_SETTINGS: readonly { name: string; example: string }[] = [
  { name: 'PROFILE', example: 'production' },
  { name: 'PUBLIC_URL', example: 'https://pay.example.com' },
  { name: 'MASTER_KEY', example: '' },
  { name: 'DATABASE_URL', example: 'embedded' },
  { name: 'TRUSTED_PROXIES', example: '127.0.0.1' },
  { name: 'METRICS_PORT', example: '9464' },
  { name: 'SMTP_URL', example: 'smtps://user:password@mail.example.com' },
  { name: 'MAIL_FROM', example: "'Shop payments <no-reply@pay.example.com>'" },
  { name: 'RPC_BASE_URLS', example: 'https://one.example/key,https://two.example/key,https://three.example/key' },
  { name: 'ROUTES_FEE_RECIPIENT', example: '' },
];
