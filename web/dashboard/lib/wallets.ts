import { getWallets } from '@wallet-standard/app';

/** A wallet in this browser that can sign texts, of either family. */
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
  /** Sends what an EIP-681 request asks for; answers the transaction's hash. Null where the wallet cannot. */
  send: ((uri: string) => Promise<string>) | null;
}

interface Eip1193 {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
}

/** Every wallet that announces itself; `tell` is called whenever another one does. */
export function watchWallets(tell: (wallets: BrowserWallet[]) => void): () => void {
  const evm = new Map<string, BrowserWallet>();
  const standard = getWallets();
  const publish = () => tell([...evm.values(), ...standard.get().flatMap(solanaWallet)]);

  const announced = (event: Event) => {
    const { info, provider } = (event as CustomEvent<{ info: { uuid: string; name: string; icon?: string }; provider: Eip1193 }>).detail;
    evm.set(info.uuid, { name: info.name, icon: safeIcon(info.icon), family: 'evm', connect: () => connectEvm(provider) });
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

/** Only pictures that are there already: a wallet's own address would be asked for over the network. */
function safeIcon(icon: string | undefined): string | null {
  return icon && /^data:image\/(svg\+xml|png|jpeg|webp|gif)[;,]/.test(icon) ? icon : null;
}

async function connectEvm(provider: Eip1193): Promise<ConnectedWallet> {
  const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
  if (!address) throw new Error('The wallet named no account.');
  return {
    address,
    sign: async (message) => String(await provider.request({ method: 'personal_sign', params: [hex(new TextEncoder().encode(message)), address] })),
    send: (uri) => sendEvm(provider, address, uri),
  };
}

async function sendEvm(provider: Eip1193, from: string, uri: string): Promise<string> {
  const wanted = readEip681(uri);
  if (!wanted) throw new Error('This request cannot be read.');
  const chainId = `0x${wanted.chainId.toString(16)}`;
  if (await provider.request({ method: 'eth_chainId' }) !== chainId) {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  }
  const transaction = wanted.token
    ? { from, to: wanted.token, data: transferData(wanted.to, wanted.units), value: '0x0' }
    : { from, to: wanted.to, value: `0x${wanted.units.toString(16)}` };
  return String(await provider.request({ method: 'eth_sendTransaction', params: [transaction] }));
}

/** `ethereum:TOKEN@CHAIN/transfer?address=TO&uint256=N` or `ethereum:TO@CHAIN?value=N`. */
export function readEip681(uri: string): { chainId: number; token: string | null; to: string; units: bigint } | null {
  const [, target, chain, call, search = ''] = /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)(\/transfer)?\?(.*)$/.exec(uri) ?? [];
  if (!target || !chain) return null;
  const query = new URLSearchParams(search);
  const to = call ? query.get('address') : target;
  const units = query.get(call ? 'uint256' : 'value');
  if (!to || !/^0x[0-9a-fA-F]{40}$/.test(to) || !units || !/^\d+$/.test(units)) return null;
  return { chainId: Number(chain), token: call ? target : null, to, units: BigInt(units) };
}

/** `transfer(address,uint256)` with its arguments. */
export function transferData(to: string, units: bigint): string {
  return `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${units.toString(16).padStart(64, '0')}`;
}

type Standard = ReturnType<ReturnType<typeof getWallets>['get']>[number];

function solanaWallet(wallet: Standard): BrowserWallet[] {
  const features = wallet.features as Record<string, Record<string, (...input: never[]) => Promise<never>> | undefined>;
  const connect = features['standard:connect']?.connect as (() => Promise<{ accounts: readonly { address: string }[] }>) | undefined;
  const signMessage = features['solana:signMessage']?.signMessage as
    ((input: { account: { address: string }; message: Uint8Array }) => Promise<readonly { signature: Uint8Array }[]>) | undefined;
  if (!connect || !signMessage) return [];
  return [{
    name: wallet.name,
    icon: safeIcon(wallet.icon),
    family: 'solana',
    async connect() {
      const { accounts } = await connect();
      const account = accounts[0] ?? wallet.accounts[0];
      if (!account) throw new Error('The wallet named no account.');
      return {
        address: account.address,
        async sign(message) {
          const [signed] = await signMessage({ account, message: new TextEncoder().encode(message) });
          if (!signed) throw new Error('The wallet signed nothing.');
          return hex(signed.signature);
        },
        send: null,
      };
    },
  }];
}

function hex(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
