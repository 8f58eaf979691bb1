import { assetKey, isReceivable } from './extra-assets.ts';

/**
 * Everything that is true of each network, a row each, by the slug that the API answers. All other tables of networks
 * and assets are derived from these; only what operators choose and what providers call a network is elsewhere.
 */
export const NETWORKS = {
  ethereum: {
    name: 'Ethereum',
    exchangeNames: 'ERC20, ETH',
    family: 'evm',
    chainId: 1,
    testChainId: 11_155_111,
    wallet: { name: 'Ethereum', rpc: 'https://ethereum-rpc.publicnode.com' },
    blockSeconds: 12,
    explorer: 'https://etherscan.io/tx/',
    native: 'ETH',
    assets: {
      ETH: { place: 1, decimals: 18, slip44: 60, receivable: true },
      USDC: {
        place: 6,
        decimals: 6,
        address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        testAddress: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
        receivable: true,
      },
      USDT: { place: 7, decimals: 6, address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', receivable: true },
      EURC: {
        decimals: 6,
        address: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
        testAddress: '0x08210F9170F89Ab7658F0B5E3fF39b0E03C594D4',
        receivable: 'extra',
      },
    },
    finality: { small: 12, otherwise: 96 },
    restSeconds: 600,
    sponsoredGwei: 20_000_000,
    deposit: { confirmedMinutes: 15, minedMinutes: 45 },
  },
  base: {
    name: 'Base',
    exchangeNames: 'Base Mainnet',
    family: 'evm',
    chainId: 8453,
    testChainId: 84_532,
    wallet: { name: 'Base', rpc: 'https://mainnet.base.org' },
    blockSeconds: 2,
    explorer: 'https://basescan.org/tx/',
    native: 'ETH',
    assets: {
      ETH: { place: 4, decimals: 18, slip44: 60 },
      USDC: {
        place: 5,
        decimals: 6,
        address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        testAddress: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        receivable: true,
      },
      EURC: {
        decimals: 6,
        address: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
        testAddress: '0x808456652fdb597867f38412077A9182bf77359F',
        receivable: 'extra',
      },
    },
    finality: { small: 10, otherwise: 900 },
    restSeconds: 120,
    sponsoredGwei: 1_000_000,
  },
  polygon: {
    name: 'Polygon',
    exchangeNames: 'POLYGON, MATIC',
    family: 'evm',
    chainId: 137,
    testChainId: 80_002,
    wallet: { name: 'Polygon', rpc: 'https://polygon-bor-rpc.publicnode.com' },
    blockSeconds: 2,
    explorer: 'https://polygonscan.com/tx/',
    native: 'POL',
    assets: {
      POL: { place: 11, decimals: 18, slip44: 966 },
      USDC: {
        place: 16,
        decimals: 6,
        address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
        testAddress: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
        receivable: true,
      },
      USDT: {
        decimals: 6,
        address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
        ownSymbol: 'USDT0',
        receivable: 'extra',
      },
    },
    finality: { small: null, otherwise: 64 },
    restSeconds: 120,
    sponsoredGwei: 2_000_000_000,
  },
  arbitrum: {
    name: 'Arbitrum',
    exchangeNames: 'ARBITRUM ONE, ARB',
    family: 'evm',
    chainId: 42_161,
    testChainId: 421_614,
    wallet: { name: 'Arbitrum One', rpc: 'https://arb1.arbitrum.io/rpc' },
    blockSeconds: 0.25,
    explorer: 'https://arbiscan.io/tx/',
    native: 'ETH',
    assets: {
      ETH: { place: 12, decimals: 18, slip44: 60 },
      USDC: {
        place: 17,
        decimals: 6,
        address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
        testAddress: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
        receivable: true,
      },
      USDT: {
        decimals: 6,
        address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
        ownSymbol: 'USD₮0',
        receivable: 'extra',
      },
    },
    finality: { small: 40, otherwise: 7_200 },
    restSeconds: 120,
    sponsoredGwei: 1_000_000,
  },
  solana: {
    name: 'Solana',
    exchangeNames: 'SOL, SPL',
    family: 'solana',
    // As `getGenesisHash` returns it, and as Coinbase's CDP SDK pins it (GENESIS_HASH_MAINNET).
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    testGenesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
    blockSeconds: 0.4,
    explorer: 'https://solscan.io/tx/',
    native: 'SOL',
    assets: {
      SOL: { place: 2, decimals: 9, slip44: 501, receivable: true },
      USDC: {
        place: 3,
        decimals: 6,
        address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        testAddress: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
        receivable: true,
      },
      USDT: {
        place: 8,
        decimals: 6,
        address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
        receivable: 'extra',
      },
      EURC: { decimals: 6, address: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr', receivable: 'extra' },
    },
    finality: { small: null, otherwise: 32 },
    restSeconds: 300,
  },
  bitcoin: {
    name: 'Bitcoin',
    exchangeNames: 'BTC',
    family: 'bitcoin',
    blockSeconds: 600,
    explorer: 'https://mempool.space/tx/',
    native: 'BTC',
    assets: { BTC: { place: 9, decimals: 8 } },
    deposit: { blocks: 2, confirmedMinutes: 60, minedMinutes: 180 },
  },
  bnb: {
    name: 'BNB Chain',
    exchangeNames: 'BEP20, BSC',
    family: 'evm',
    chainId: 56,
    testChainId: 97,
    wallet: { name: 'BNB Smart Chain', rpc: 'https://bsc-dataseed.bnbchain.org' },
    blockSeconds: 1,
    fastestBlockSeconds: 0.45,
    explorer: 'https://bscscan.com/tx/',
    native: 'BNB',
    assets: {
      BNB: { place: 10, decimals: 18, slip44: 714 },
      // Tether and Circle issue none there: these are Binance's pegged coins, with twelve decimals more.
      USDT: {
        decimals: 18,
        address: '0x55d398326f99059fF775485246999027B3197955',
        ownSymbol: 'BSC-USD',
        receivable: 'extra',
      },
      USDC: { decimals: 18, address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', receivable: 'extra' },
    },
    // Without the tag: every one of 21 validators has made a turn of 16 blocks.
    finality: { small: null, otherwise: 336 },
    restSeconds: 120,
    sponsoredGwei: 5_000_000,
  },
  avalanche: {
    name: 'Avalanche',
    exchangeNames: 'AVAX C-Chain',
    family: 'evm',
    chainId: 43_114,
    wallet: { name: 'Avalanche C-Chain', rpc: 'https://api.avax.network/ext/bc/C/rpc' },
    blockSeconds: 2,
    explorer: 'https://snowtrace.io/tx/',
    native: 'AVAX',
    assets: { AVAX: { place: 13, decimals: 18 } },
  },
  tron: {
    name: 'Tron',
    exchangeNames: 'TRC20, TRX',
    family: 'tron',
    // The last four bytes of the first block's hash, on the main network and on Nile.
    chainId: 728_126_428,
    testChainId: 3_448_148_188,
    blockSeconds: 3,
    explorer: 'https://tronscan.org/#/transaction/',
    native: 'TRX',
    assets: {
      TRX: { place: 14, decimals: 6, slip44: 195 },
      USDT: {
        place: 15,
        decimals: 6,
        address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
        receivable: 'extra',
        payersRound: true,
      },
    },
    // Without the tag: 19 of 27 witnesses make a block solid.
    finality: { small: null, otherwise: 27 },
    restSeconds: 120,
  },
  tempo: {
    name: 'Tempo',
    exchangeNames: 'Tempo',
    family: 'evm',
    chainId: 4217,
    testChainId: 42_431,
    wallet: { name: 'Tempo Mainnet', rpc: 'https://rpc.tempo.xyz' },
    blockSeconds: 0.5,
    explorer: 'https://explore.tempo.xyz/tx/',
    native: 'USD',
    assets: {
      USDT: {
        decimals: 6,
        address: '0x20C00000000000000000000014f22CA97301EB73',
        ownSymbol: 'USDT0',
        receivable: 'extra',
        takesMemo: true,
      },
    },
    // A block is final as soon as it is there. Without the tag: in case that a provider's is not.
    finality: { small: null, otherwise: 10 },
    restSeconds: 120,
  },
} as const satisfies Record<string, NetworkRow>;

export type ChainFamily = 'evm' | 'solana' | 'bitcoin' | 'tron';
export type AssetSymbol = 'USDC' | 'USDT' | 'EURC' | 'ETH' | 'SOL' | 'BTC' | 'BNB' | 'POL' | 'AVAX' | 'TRX';

/** What is true of a network. */
export type NetworkRow = CommonRow &
  (
    | {
        family: 'evm';
        chainId: number;
        /** The issuers' test network, whose signatures are worth nothing. Required to receive on the network. */
        testChainId?: number;
        /** How wallets add the network (EIP-3085): its registered name, and a public node. */
        wallet: { name: string; rpc: string };
      }
    | {
        family: 'solana';
        /** The hash of the first block of mainnet and of devnet; its first 32 characters name the chain in CAIP-2. */
        genesisHash: string;
        testGenesisHash: string;
      }
    | {
        family: 'tron';
        chainId: number;
        /** Of its test network. */
        testChainId: number;
      }
    | { family: 'bitcoin' }
  );

interface CommonRow {
  /** The name that a person reads. */
  name: string;
  /** The network's names at exchanges, for withdrawals. */
  exchangeNames: string;
  /** How long a block usually takes, as pages show it. */
  blockSeconds: number;
  /** Where blocks may come faster, see `fastestBlockSeconds`. */
  fastestBlockSeconds?: number;
  /** The address of a transaction in a block explorer, without the hash at its end. */
  explorer: string;
  /** The coin that pays the network's fees; the currency where any coin in it does. */
  native: AssetSymbol | 'USD';
  assets: Partial<Record<AssetSymbol, AssetRow>>;
  /**
   * How many confirmations make a transfer final. A payout wallet can be only on networks that have it. `small`: below
   * 1,000 USD; null if the chain's own tag always decides. `otherwise`: if a provider does not know the chain's tag.
   */
  finality?: { small: number | null; otherwise: number };
  /** How often the network is looked at while no customer can pay on it, see `maxRestSeconds`. */
  restSeconds?: number;
  /** What a merchant's paymaster may pay for a transfer: far above the usual. Where it is missing, none is asked. */
  sponsoredGwei?: number;
  /** Deposits at route providers, where they take other times than usual. */
  deposit?: Partial<DepositTimes>;
}

/** What is true of an asset on a network. Bridged namesakes (USDC.e, USDbC) are different coins and have no row. */
export interface AssetRow {
  /** Its place in the Safe List, as the API lists it. One without stands after them, if `EXTRA_ASSETS` names it. */
  place?: number;
  /** How many decimals one whole unit has on this network. */
  decimals: number;
  /** The issuer's own contract, checksummed, or mint. The native coin has none. */
  address?: string;
  /** The same on the test network. */
  testAddress?: string;
  /**
   * Most payers send from an exchange whose form takes whole cents. An exact amount is in whole cents then, so that a
   * price has few of them.
   */
  payersRound?: true;
  /**
   * The payer writes a memo into the transfer, which names the payment, so that its amount is the plain price: the token
   * has `transferWithMemo` (TIP-20).
   */
  takesMemo?: true;
  /** What the contract calls itself, if that is not the symbol. The doctor compares it. */
  ownSymbol?: string;
  /** The registered number of a native coin (SLIP-44). Required on networks that payout wallets can be on. */
  slip44?: number;
  /** Whether a payout wallet may receive it; `extra` if only where `EXTRA_ASSETS` names it. */
  receivable?: true | 'extra';
}

/** How long a deposit at a route provider takes. */
export interface DepositTimes {
  /** Blocks that providers usually wait for. */
  blocks: number;
  /** Usual time until it is confirmed. */
  confirmedMinutes: number;
  /** Time until even a slow one is mined. */
  minedMinutes: number;
}

export type Network = keyof typeof NETWORKS;
type With<Facts> = { [Slug in Network]: (typeof NETWORKS)[Slug] extends Facts ? Slug : never }[Network];
/** A network that a payout wallet can be on. */
export type ReceiveNetwork = With<{ finality: object; restSeconds: number }>;
/** Those of the Ethereum family, where an account has the same address on all. */
export type EvmNetwork = With<{ finality: object; family: 'evm' }>;

export const NETWORK_SLUGS = Object.keys(NETWORKS) as [Network, ...Network[]];

/** The networks that a payout wallet may be on at some server. */
export const READABLE_NETWORKS = NETWORK_SLUGS.filter((slug) => 'finality' in NETWORKS[slug]) as ReceiveNetwork[];
/** Those that a payout wallet can be on at this server; the only ones that need a watcher. */
export const RECEIVE_NETWORKS = READABLE_NETWORKS.filter(hasReceivable) as [ReceiveNetwork, ...ReceiveNetwork[]];
export const EVM_RECEIVE_NETWORKS: readonly EvmNetwork[] = RECEIVE_NETWORKS.filter(isEvm);

function hasReceivable(slug: ReceiveNetwork): boolean {
  const assets = Object.entries<AssetRow>(NETWORKS[slug].assets);
  return assets.some(([symbol, { receivable }]) => isReceivable(assetKey(symbol, slug), receivable));
}

/** How fast blocks may come. Heads that advance more than twice as fast as that are doubted. */
export function fastestBlockSeconds(network: ReceiveNetwork): number {
  const { blockSeconds, fastestBlockSeconds: fastest = blockSeconds } = NETWORKS[network] as NetworkRow;
  return fastest;
}

/** Whether a receive network belongs to the Ethereum family. */
export function isEvm(network: ReceiveNetwork): network is EvmNetwork {
  return NETWORKS[network].family === 'evm';
}

/** Late money is found that much later. */
export const MAX_REST_SECONDS = 3_600;
/** Full nodes keep the states of the newest 128 blocks only, and they show the ether that contracts send. */
const BLOCKS_WITH_STATE = 100;

/** How rarely a network may be looked at while no customer can pay on it. */
export function maxRestSeconds(network: ReceiveNetwork): number {
  const { family, native, assets, blockSeconds } = NETWORKS[network] as NetworkRow;
  const needsStates = family === 'evm' && native !== 'USD' && assets[native]?.receivable === true;
  return needsStates ? Math.min(BLOCKS_WITH_STATE * blockSeconds, MAX_REST_SECONDS) : MAX_REST_SECONDS;
}

const OTHER_DEPOSITS: DepositTimes = { blocks: 15, confirmedMinutes: 5, minedMinutes: 30 };

/** How long deposits at route providers take on a network. */
export function depositTimes(network: Network): DepositTimes {
  return { ...OTHER_DEPOSITS, ...(NETWORKS[network] as NetworkRow).deposit };
}
