import type { Context } from '../../src/context.ts';
import type { TestApp } from './app.ts';
import type { TestWallet } from './logins.ts';
import type { Merchant } from './merchant.ts';
import { paymentOfSession, referenceOf } from './payments.ts';
import { take, transferTo } from './transfers.ts';

type Data = any;

export interface Saver {
  merchant: Merchant;
  wallet: Data;
}

export interface SaverCheckout {
  id: string;
  paymentId: string;
  units: bigint;
  reference: Buffer;
}

/** Accounts in live mode that save the same addresses, without a chain: money arrives when a test says so. */
export function savers(app: () => TestApp) {
  const ctx = (): Context => app().ctx;

  const pay = (sessionId: string) =>
    app().inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
      body: { pay_asset: 'USDC', pay_network: 'base' },
    });

  return {
    pay,

    /** An account that has saved an address. */
    async saver(address: string, network = 'base'): Promise<Saver> {
      const merchant = await app().newMerchant({ mode: 'live' });
      return { merchant, wallet: await merchant.createWallet({ address, network }) };
    },

    readWallet: (merchant: Merchant, wallet: Data): Promise<Data> => merchant.get(`/payout-wallets/${wallet.id}`),

    async prove(merchant: Merchant, wallet: Data, owner: TestWallet): Promise<Data> {
      const path = `/payout-wallets/${wallet.id}/prove`;
      const { message } = await merchant.dashboard.post(path);
      return merchant.dashboard.post(path, { signature: await owner.sign(message) });
    },

    /** A checkout with its own exact amount. */
    async checkout(merchant: Merchant): Promise<SaverCheckout> {
      const session = await merchant.createSession();
      const answer = await pay(session.id);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
      return {
        id: session.id,
        paymentId: await paymentOfSession(ctx().db, session.id),
        units: BigInt(answer.body.data.payment.amount.replace('.', '')),
        reference: await referenceOf(ctx().db, session.id),
      };
    },

    /** Final money at an address. */
    arrive: async (to: string, amountUnits: bigint, carried: Buffer[] = []): Promise<string> =>
      (await take(ctx(), transferTo(to, { amountUnits, carried })))?.id ?? '',

    payment: (merchant: Merchant, id: string): Promise<Data> => merchant.get(`/payments/${id}`),

    async transferOf(merchant: Merchant, id: string): Promise<Data> {
      return (await merchant.get('/transfers')).data.find((one: Data) => one.id === id);
    },
  };
}
