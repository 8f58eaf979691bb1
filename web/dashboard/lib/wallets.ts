import { getWallets } from '@wallet-standard/app';
import { base58 } from '../../wallets/base58.ts';
import { ApiError } from './api.ts';
import { WalletRefusedError } from './wallet-refusal.ts';

/** A wallet in this browser, of either family. */
export interface BrowserWallet {
  name: string;
  icon: string | null;
  family: 'evm' | 'solana';
  /** Asks the wallet for an account. */
  connect(): Promise<ConnectedWallet>;
}

export interface ConnectedWallet {
  address: string;
  /** The signature in hex. */
  sign(message: string): Promise<string>;
  /** Signs and sends; returns the transaction's hash. */
  send(transfer: WantedTransfer): Promise<string>;
}

/** A transfer from the connected wallet. */
export interface WantedTransfer {
  /** EIP-681: all that an Ethereum wallet needs. */
  uri: string;
  /** The transaction for a Solana wallet to sign, in base64, built by the service, which knows the chain. */
  build(from: string): Promise<string>;
}

interface Eip1193 {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
}

/** Every wallet that announces itself; `listener` is called for each further one. */
export function watchWallets(listener: (wallets: BrowserWallet[]) => void): () => void {
  const evm = new Map<string, BrowserWallet>();
  const standard = getWallets();
  const publish = () => listener([...evm.values(), ...standard.get().flatMap(solanaWallet)]);

  const announced = (event: Event) => {
    const { info, provider } = (
      event as CustomEvent<{ info: { uuid: string; name: string; icon?: string }; provider: Eip1193 }>
    ).detail;
    evm.set(info.uuid, {
      name: info.name,
      icon: safeIcon(info.icon),
      family: 'evm',
      connect: () => connectEvm(provider),
    });
    publish();
  };
  window.addEventListener('eip6963:announceProvider', announced);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  const stop = standard.on('register', publish);
  publish();
  return () => {
    window.removeEventListener('eip6963:announceProvider', announced);
    stop();
  };
}

/** Only embedded icons, because an icon's URL would cause a network request. */
function safeIcon(icon: string | undefined): string | null {
  return icon && /^data:image\/(svg\+xml|png|jpeg|webp|gif)[;,]/.test(icon) ? icon : null;
}

async function connectEvm(provider: Eip1193): Promise<ConnectedWallet> {
  const [address] = (await spoken(provider.request({ method: 'eth_requestAccounts' }))) as string[];
  if (!address) throw new Error('The wallet named no account.');
  return {
    address,
    sign: async (message) =>
      String(
        await spoken(
          provider.request({ method: 'personal_sign', params: [hex(new TextEncoder().encode(message)), address] }),
        ),
      ),
    send: ({ uri }) => sendEvm(provider, address, uri),
  };
}

async function sendEvm(provider: Eip1193, from: string, uri: string): Promise<string> {
  const wanted = readEip681(uri);
  if (!wanted) throw new Error('This request cannot be read.');
  await switchTo(provider, `0x${wanted.chainId.toString(16)}`);
  const transaction = wanted.token
    ? { from, to: wanted.token, data: transferData(wanted.to, wanted.units), value: '0x0' }
    : { from, to: wanted.to, value: `0x${wanted.units.toString(16)}` };
  return String(await spoken(provider.request({ method: 'eth_sendTransaction', params: [transaction] })));
}

/** A wallet that stays on another network would send other coins. */
async function switchTo(provider: Eip1193, chainId: string): Promise<void> {
  const current = async () => Number(await spoken(provider.request({ method: 'eth_chainId' })));
  if ((await current()) === Number(chainId)) return;
  await spoken(provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] }));
  if ((await current()) !== Number(chainId))
    throw new WalletRefusedError('Your wallet is still on a different network. Switch it and try again.');
}

/** A wallet's error code in words. */
async function spoken<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const { code, message = '' } = (error ?? {}) as { code?: number; message?: string };
    if (error instanceof WalletRefusedError || error instanceof ApiError) throw error;
    if (code === 4001 || /reject|declin|cancel|denied/i.test(message))
      throw new WalletRefusedError('You rejected the request in your wallet. Nothing was sent.', error);
    if (code === -32002)
      throw new WalletRefusedError('Your wallet has another pending request. Complete it first.', error);
    if (code === 4902)
      throw new WalletRefusedError('This network isn’t set up in your wallet. Add it and try again.', error);
    throw new WalletRefusedError(
      'Your wallet couldn’t complete the request. Check your wallet before you try again.',
      error,
    );
  }
}

/** `ethereum:TOKEN@CHAIN/transfer?address=TO&uint256=N` or `ethereum:TO@CHAIN?value=N`. */
function readEip681(uri: string): { chainId: number; token: string | null; to: string; units: bigint } | null {
  const [, target, chain, call, search = ''] =
    /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)(\/transfer)?\?(.*)$/.exec(uri) ?? [];
  if (!target || !chain) return null;
  const query = new URLSearchParams(search);
  const to = call ? query.get('address') : target;
  const units = query.get(call ? 'uint256' : 'value');
  if (!to || !/^0x[0-9a-fA-F]{40}$/.test(to) || !units || !/^\d+$/.test(units)) return null;
  return { chainId: Number(chain), token: call ? target : null, to, units: BigInt(units) };
}

/** `transfer(address,uint256)` with its arguments. */
function transferData(to: string, units: bigint): string {
  return `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${units.toString(16).padStart(64, '0')}`;
}

type Standard = ReturnType<ReturnType<typeof getWallets>['get']>[number];

/** The parts of the Wallet Standard that are needed here. */
interface SolanaFeatures {
  'standard:connect'?: { connect(): Promise<{ accounts: readonly SolanaAccount[] }> };
  'solana:signMessage'?: {
    signMessage(input: { account: SolanaAccount; message: Uint8Array }): Promise<readonly { signature: Uint8Array }[]>;
  };
  'solana:signAndSendTransaction'?: {
    signAndSendTransaction(input: {
      account: SolanaAccount;
      transaction: Uint8Array;
      chain: string;
    }): Promise<readonly { signature: Uint8Array }[]>;
  };
}

interface SolanaAccount {
  address: string;
  chains?: readonly string[];
}

function solanaWallet(wallet: Standard): BrowserWallet[] {
  const features = wallet.features as SolanaFeatures;
  const connect = features['standard:connect'];
  if (!connect || !features['solana:signMessage']) return [];
  return [
    {
      name: wallet.name,
      icon: safeIcon(wallet.icon),
      family: 'solana',
      async connect() {
        const { accounts } = await spoken(connect.connect());
        const account = accounts[0] ?? wallet.accounts[0];
        if (!account) throw new Error('The wallet named no account.');
        return connectedSolana(features, account);
      },
    },
  ];
}

function connectedSolana(features: SolanaFeatures, account: SolanaAccount): ConnectedWallet {
  return {
    address: account.address,
    async sign(message) {
      const [signed] = await spoken(
        features['solana:signMessage']?.signMessage({ account, message: new TextEncoder().encode(message) }) ??
          Promise.resolve([]),
      );
      if (!signed)
        throw new WalletRefusedError(
          'Your wallet couldn’t complete the request. Check your wallet before you try again.',
        );
      return hex(signed.signature);
    },
    async send({ build }) {
      const transaction = Uint8Array.from(atob(await build(account.address)), (character) => character.charCodeAt(0));
      const chain = account.chains?.find((one) => one.startsWith('solana:')) ?? 'solana:mainnet';
      const [sent] = await spoken(
        features['solana:signAndSendTransaction']?.signAndSendTransaction({ account, transaction, chain }) ??
          Promise.resolve([]),
      );
      if (!sent)
        throw new WalletRefusedError(
          'Your wallet couldn’t complete the request. Check your wallet before you try again.',
        );
      return base58(sent.signature);
    },
  };
}

function hex(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
