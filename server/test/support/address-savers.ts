import type { Context } from '../../src/context.ts';
import type { Transfer } from '../../src/outside/chains/chain.ts';
import { receive } from '../../src/settlement/attribution/attribute-transfer.ts';
import { settleTransfer } from '../../src/settlement/outcome/settle.ts';
import { findTransfersByHash } from '../../src/settlement/records/transfer-store.ts';
import type { TestApp } from './app.ts';
import type { TestWallet } from './logins.ts';
import type { Merchant } from './merchant.ts';

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
  let made = 0;
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
      const [row] = await ctx().db.query<{ id: string; reference: Buffer }>(
        'test_payment_and_reference',
        'select p.id, s.reference from payments p join checkout_sessions s on s.id = p.session_id where s.id = $1',
        [session.id],
      );
      return {
        id: session.id,
        paymentId: row?.id ?? '',
        units: BigInt(answer.body.data.payment.amount.replace('.', '')),
        reference: row?.reference ?? Buffer.alloc(0),
      };
    },

    /** Final money at an address. */
    async arrive(to: string, amountUnits: bigint, carried: Buffer[] = []): Promise<string> {
      const now = await ctx().db.now();
      const transfer: Transfer = {
        network: 'base',
        txHash: `0x${(++made).toString(16).padStart(64, '0')}`,
        index: 0,
        asset: 'USDC',
        from: '0x3333333333333333333333333333333333333333',
        to,
        amountUnits,
        block: { number: 1n, hash: '0x1', time: now },
        carried,
      };
      await ctx().db.transaction((db) => receive(ctx(), db, { livemode: true, transfers: [transfer] }, now));
      const found = () => findTransfersByHash(ctx().db, true, 'base', transfer.txHash);
      for (const stored of await found())
        await ctx().db.transaction((db) =>
          settleTransfer({ ctx: ctx(), db, at: { created: now, recorded: now } }, stored, {}),
        );
      return (await found())[0]?.id ?? '';
    },

    payment: (merchant: Merchant, id: string): Promise<Data> => merchant.get(`/payments/${id}`),

    async transferOf(merchant: Merchant, id: string): Promise<Data> {
      return (await merchant.get('/transfers')).data.find((one: Data) => one.id === id);
    },
  };
}
