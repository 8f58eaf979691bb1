import type { TestApp } from './app.ts';

type Data = any;

/** A live session whose customer has chosen to pay the wallet's own coin. */
export interface OpenCheckout {
  session: Data;
  wallet: Data;
  /** Of the choice; not 200 if it was refused. */
  status: number;
  body: Data;
  payment: Data;
  /** Base units of the amount. */
  due: bigint;
  shown(): Promise<Data>;
  state(): Promise<string>;
}

/** Opens it at a new wallet, or at one that the merchant has saved. */
export async function openCheckout(
  { inject, merchant: { live } }: Pick<TestApp, 'inject' | 'merchant'>,
  at: { id?: string; asset: string; network: string; address: string },
): Promise<OpenCheckout> {
  const wallet: Data = at.id === undefined ? await live.createWallet(at) : at;
  const session = await live.createSession({ payout_wallet_id: wallet.id, amount: '40.00', expires_in: 3600 });
  const path = `/v1/public/checkout/sessions/${session.id}`;
  const { status, body } = await inject('POST', `${path}/pay`, {
    body: { pay_asset: wallet.asset, pay_network: wallet.network },
  });
  const payment = body.data?.payment;
  const shown = async () => (await inject('GET', path)).body.data;
  const due = BigInt((payment?.amount ?? '0').replace('.', ''));
  return { session, wallet, status, body, payment, due, shown, state: async () => (await shown()).status };
}
