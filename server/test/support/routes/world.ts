import type { Asset } from '@quittance/contract';
import type { KeyPairSigner } from '@solana/kit';
import { type Address, getAddress, toHex } from 'viem';
import { startAnvil, type TestChain } from '../anvil.ts';
import { type OneClickServer, startOneClick } from '../one-click-server.ts';
import { type RelayServer, startRelay } from '../relay-server.ts';
import { startSolana, type TestSolana } from '../solana/index.ts';
import { type BitcoinLike, createBitcoinLike } from './bitcoin.ts';
import { createDesk, type Desk } from './desk.ts';

/** Chains to pay from and to be paid on, and two providers between them. */
export interface RouteWorld extends AsyncDisposable {
  ethereum: TestChain;
  bnb: TestChain;
  solana: TestSolana;
  bitcoin: BitcoinLike;
  usdc: { ethereum: Address; solana: string };
  /** A coin that calls itself USDC. */
  fakeUsdc: { ethereum: Address; solana: string };
  oneClick: OneClickServer;
  relay: RelayServer;
  desk: Desk;
  customer: KeyPairSigner;
  /** The settings of a service in this world. */
  env: Record<string, string>;
  /** A customer pays an address in any asset; returns the transaction's hash. On Bitcoin it waits for a block. */
  pay(asset: Asset, to: string, units: bigint): Promise<string>;
  /** An address's balance of an asset. */
  balance(asset: Asset, address: string): Promise<bigint>;
  /** Mines blocks on every chain until all transfers are final. */
  mine(): Promise<void>;
  /** Moves the chains' time after the service's time was moved. */
  pass(seconds: number): Promise<void>;
}

export const CONFIRMATIONS = 3;

const SLOTS_BEFORE = 1_500;
const SLOT_MS = 400;

/** The accounts of the providers and the customer on the EVM chains. */
const PROVIDER = 5;
const CUSTOMER = 2;

/** `aheadMs` is how far the service's clock is ahead of this machine's. */
export async function startRouteWorld(aheadMs: () => number = () => 0): Promise<RouteWorld> {
  const stack = new AsyncDisposableStack();
  const now = () => new Date(Date.now() + aheadMs());
  const [ethereum, bnb] = [
    stack.use(await startAnvil({ chainId: 4001 })),
    stack.use(await startAnvil({ chainId: 4056 })),
  ];
  // A node knows the time before a service started to read: ten minutes of it, here.
  const solana = stack.use(await startSolana({ startsAt: new Date(Date.now() - SLOTS_BEFORE * SLOT_MS) }));
  solana.slots(SLOTS_BEFORE, { intervalMs: SLOT_MS });
  const bitcoin = createBitcoinLike();
  const [provider, customer] = [await solana.newWallet(1_000_000_000_000n), await solana.newWallet(1_000_000_000_000n)];
  const usdc = { ethereum: await ethereum.deployToken(), solana: (await solana.createMint()) as string };
  const fakeUsdc = { ethereum: await ethereum.deployToken(), solana: (await solana.createMint()) as string };
  for (const mint of [usdc.solana, fakeUsdc.solana]) await solana.mint(mint, provider.address, 1_000_000_000_000n);
  const [oneClick, relay] = [stack.use(await startOneClick({ now })), stack.use(await startRelay({ now }))];

  /** Its slots are produced on demand, at the common time. */
  function keepTime(): void {
    const behindMs = now().getTime() - solana.head().time.getTime();
    if (behindMs > 0) solana.slots(1, { intervalMs: behindMs });
  }

  const accountOf = (chain: TestChain, at: number) => chain.accounts[at]?.address as Address;

  async function send(
    asset: Asset,
    to: string,
    units: bigint,
    { by, token }: { by: 'customer' | 'provider'; token?: string | undefined },
  ): Promise<string> {
    const from = by === 'provider' ? PROVIDER : CUSTOMER;
    const signer = by === 'provider' ? provider : customer;
    switch (asset.network) {
      case 'bnb':
        return bnb.sendEth({ to: getAddress(to), amount: units, from: accountOf(bnb, from) });
      case 'ethereum':
        return asset.asset === 'ETH'
          ? ethereum.sendEth({ to: getAddress(to), amount: units, from: accountOf(ethereum, from) })
          : ethereum.transferErc20({
              token: (token ?? usdc.ethereum) as Address,
              to: getAddress(to),
              amount: units,
              from: accountOf(ethereum, from),
            });
      case 'solana':
        keepTime();
        return asset.asset === 'SOL'
          ? solana.transferSol({ to, amount: units, from: signer })
          : solana.transferToken({ mint: token ?? usdc.solana, to, amount: units, from: signer });
      case 'bitcoin':
        return bitcoin.pay(to, units);
      default:
        throw new Error(`there is no ${asset.network} in this world`);
    }
  }

  async function balance(asset: Asset, address: string): Promise<bigint> {
    switch (asset.network) {
      case 'bnb':
        return BigInt(await bnb.rpc<string>('eth_getBalance', [address, 'latest']));
      case 'ethereum':
        return asset.asset === 'ETH'
          ? BigInt(await ethereum.rpc<string>('eth_getBalance', [address, 'latest']))
          : ethereum.call<bigint>('TestToken', usdc.ethereum, 'balanceOf', [address]);
      case 'solana':
        return asset.asset === 'SOL'
          ? (solana.ledger.svm.getBalance(address as never) ?? 0n)
          : solana.balance(usdc.solana, address);
      case 'bitcoin':
        return bitcoin.received(address).confirmed;
      default:
        throw new Error(`there is no ${asset.network} in this world`);
    }
  }

  const world: RouteWorld = {
    ethereum,
    bnb,
    solana,
    bitcoin,
    usdc,
    fakeUsdc,
    oneClick,
    relay,
    customer,
    balance,
    desk: createDesk({
      oneClick,
      relay,
      now,
      send: (asset, to, units, token) => send(asset, to, units, { by: 'provider', token }),
      deposited: async (asset, address) => {
        if (asset.network === 'bitcoin') return bitcoin.received(address);
        const held = await balance(asset, address);
        return { confirmed: held, seen: held };
      },
      fakeOf: (asset) => fakeUsdc[asset.network as 'ethereum' | 'solana'],
    }),
    env: {
      RPC_ETHEREUM_URLS: ethereum.url,
      CHAIN_ID_ETHEREUM: String(ethereum.chainId),
      TOKEN_USDC_ETHEREUM: usdc.ethereum,
      CONFIRMATIONS_ETHEREUM: String(CONFIRMATIONS),
      RPC_SOLANA_URLS: solana.url,
      GENESIS_SOLANA: solana.genesisHash,
      TOKEN_USDC_SOLANA: usdc.solana,
      ROUTES: 'one-click,relay',
      ROUTES_ONECLICK_URL: oneClick.url,
      ROUTES_ONECLICK_SIGNER: oneClick.signer,
      ROUTES_RELAY_URL: relay.url,
      ROUTES_FEE_RECIPIENT: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    },
    pay: (asset, to, units) => send(asset, to, units, { by: 'customer' }),
    async mine() {
      bitcoin.mine();
      await ethereum.mine(CONFIRMATIONS);
      keepTime();
      solana.finalize();
    },
    async pass(seconds) {
      for (const chain of [ethereum, bnb]) {
        await chain.rpc('evm_increaseTime', [toHex(seconds)]);
        await chain.mine();
      }
      keepTime();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return world;
}
