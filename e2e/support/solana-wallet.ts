import type { BrowserContext } from 'playwright-core';
import { base58 } from '@scure/base';
import {
  getBase64Encoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  signBytes,
  signTransaction,
} from '@solana/kit';
import type { TestSolana } from '@quittance/server/testing/solana/index';
import { ICON } from './ethereum-wallet.ts';

/**
 * A Solana wallet in the browser: registers by the Wallet Standard, signs with a real key, sends to the local cluster.
 */
export interface SolanaWallet {
  address: string;
  /** Transactions it was asked to send. */
  sent: string[];
  answer(how: 'approve' | 'decline'): void;
}

let wallets = 0;

export async function addSolanaWallet(
  context: BrowserContext,
  { cluster, signer, name = 'Moss Wallet' }: { cluster: TestSolana; signer: KeyPairSigner; name?: string },
): Promise<SolanaWallet> {
  let next: 'approve' | 'decline' = 'approve';
  const sent: string[] = [];

  async function act(kind: 'send' | 'sign', base64: string): Promise<{ signature?: string; refused?: boolean }> {
    const how = next;
    next = 'approve';
    if (how === 'decline') return { refused: true };
    if (kind === 'sign') {
      const signature = await signBytes(signer.keyPair.privateKey, Buffer.from(base64, 'base64'));
      return { signature: Buffer.from(signature).toString('base64') };
    }
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
    const signed = await signTransaction([signer.keyPair], transaction as never);
    const wire = Buffer.from(Uint8Array.from(getTransactionEncoder().encode(signed as never))).toString('base64');
    const signature = cluster.rpc<string>('sendTransaction', [wire, { encoding: 'base64' }]);
    sent.push(signature);
    return { signature: Buffer.from(base58.decode(signature)).toString('base64') };
  }

  const binding = `quittanceSolana${++wallets}`;
  await context.exposeBinding(binding, (_source, kind: 'send' | 'sign', base64: string) => act(kind, base64));
  await context.addInitScript(
    ({ binding, name, icon, address, publicKey }) => {
      const ask = (
        window as unknown as Record<
          string,
          (kind: string, base64: string) => Promise<{ signature?: string; refused?: boolean }>
        >
      )[binding];
      const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
      const toBytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const account = {
        address,
        publicKey: new Uint8Array(publicKey),
        chains: ['solana:mainnet'],
        features: ['solana:signAndSendTransaction', 'solana:signMessage'],
      };
      const perform = async (kind: string, bytes: Uint8Array) => {
        const answer = await ask?.(kind, toBase64(bytes));
        if (!answer?.signature) throw new Error('User rejected the request.');
        return { signature: toBytes(answer.signature) };
      };
      const wallet = {
        version: '1.0.0',
        name,
        icon,
        chains: ['solana:mainnet'],
        accounts: [] as unknown[],
        features: {
          'standard:connect': {
            version: '1.0.0',
            async connect() {
              wallet.accounts = [account];
              return { accounts: [account] };
            },
          },
          'standard:events': { version: '1.0.0', on: () => () => undefined },
          'solana:signAndSendTransaction': {
            version: '1.0.0',
            supportedTransactionVersions: ['legacy', 0],
            signAndSendTransaction: async ({ transaction }: { transaction: Uint8Array }) => [
              await perform('send', transaction),
            ],
          },
          'solana:signMessage': {
            version: '1.0.0',
            signMessage: async ({ message }: { message: Uint8Array }) => [
              { ...(await perform('sign', message)), signedMessage: message },
            ],
          },
        },
      };
      const register = ({ register: add }: { register(wallet: unknown): void }) => add(wallet);
      addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail));
      dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
    },
    { binding, name, icon: ICON, address: String(signer.address), publicKey: [...base58.decode(signer.address)] },
  );

  return {
    address: signer.address,
    sent,
    answer(how) {
      next = how;
    },
  };
}
