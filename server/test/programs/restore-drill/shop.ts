import type { PrivateKeyAccount } from 'viem';
import type { TestChain } from '../../support/anvil.ts';

/** What a customer owes, and how the transfer identifies the session. */
export interface Order {
  key: string;
  body: { amount: string; payout_wallet_id: string; order_id: string; expires_in: number };
  sessionId: string;
  network: string;
  asset: string;
  payment: { address: string; amount: string; tag: string | null };
  txHash: string | null;
}

export interface Wallet {
  id: string;
  network: string;
  asset: string;
}

const EXPIRES_IN_SECONDS = 86_400;

/** A merchant's server: it creates sessions with its orders' keys, and repeats uncertain requests. */
export class Shop {
  readonly #url: string;
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  async logIn(owner: PrivateKeyAccount): Promise<void> {
    const { nonce } = await this.call('/auth/nonce', { address: owner.address });
    const signature = await owner.signMessage({ message: nonce });
    this.#token = (await this.call('/auth/verify', { address: owner.address, signature })).session_token;
  }

  async order(key: string, wallet: Wallet, amount: string): Promise<Order> {
    const order = await this.unchosen(key, wallet, amount);
    return { ...order, payment: await this.choose(order.sessionId, wallet) };
  }

  /** A session whose customer has not chosen how to pay. */
  async unchosen(key: string, wallet: Wallet, amount: string): Promise<Order> {
    const body = { amount, payout_wallet_id: wallet.id, order_id: key, expires_in: EXPIRES_IN_SECONDS };
    const { id } = await this.call('/checkout/sessions', body, key);
    const { network, asset } = wallet;
    return { key, body, sessionId: id, network, asset, payment: { address: '', amount: '', tag: null }, txHash: null };
  }

  /** Sends the same request with the same key. */
  async repeat({ key, body }: Order): Promise<string> {
    return (await this.call('/checkout/sessions', body, key)).id;
  }

  async choose(sessionId: string, { network, asset }: Pick<Wallet, 'network' | 'asset'>): Promise<Order['payment']> {
    const path = `/public/checkout/sessions/${sessionId}/pay`;
    return (await this.call(path, { pay_asset: asset, pay_network: network })).payment;
  }

  async call(path: string, body?: object, key?: string): Promise<any> {
    return (await this.page(path, body, key)).data;
  }

  /** The whole response: a list has `has_more`. */
  async page(path: string, body?: object, key?: string): Promise<any> {
    const response = await fetch(`${this.#url}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        'content-type': 'application/json',
        'service-mode': 'live',
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  }
}

/** The owner of the shop, who is not one of the paying accounts. */
export function ownerOf(chain: TestChain): PrivateKeyAccount {
  const [owner] = chain.accounts;
  if (!owner) throw new Error('the local chain has no account');
  return owner as PrivateKeyAccount;
}
