import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { qrPath } from '../../ui/qr-path.ts';
import en from '../i18n/en.ts';
import { translator } from '../i18n/messages.ts';
import type { CheckoutPage, PublicPayment } from '../page-state.ts';
import { PayStage } from './pay.tsx';

const MEMO = '3f9a0c2b7d514e439f2c5b6e1d4a8c77';
const TOKEN = '0x20C00000000000000000000014f22CA97301EB73';
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const CALL = `transferWithMemo?address=${ADDRESS}&uint256=40000000&bytes32=0x${Buffer.from(MEMO).toString('hex')}`;

const PAGE = 'https://pay.example.com';
const SESSION = { id: 'cs_1', status: 'pending', livemode: true, amount: '40.00', currency: 'USD', options: [] };

function draw(changes: Partial<PublicPayment> = {}, more: Partial<CheckoutPage> = {}, session: object = {}): string {
  const payment = {
    asset: 'USDT',
    network: 'tempo',
    kind: 'direct',
    address: ADDRESS,
    amount: '40.000000',
    amount_due: '40.000000',
    amount_seen: '0.000000',
    uri: `ethereum:${TOKEN}@4217/${CALL}`,
    reference: MEMO,
    tag: null,
    identified_by: 'reference',
    quote_expires_at: null,
    price_warning_pct: null,
    other_transfers: [],
    ...changes,
  } as unknown as PublicPayment;
  const page = {
    session: { ...SESSION, payment, ...session },
    locale: 'en',
    view: 'auto',
    typed: '',
    links: { page: PAGE },
    ...more,
  } as unknown as CheckoutPage;
  return renderToString(h(PayStage, { page, t: translator('en', en) }));
}

test('a memo that names the payment is shown to copy, with what becomes of a transfer without it', () => {
  const html = draw();
  for (const text of [MEMO, `>${en.memo}<`, en.send_with_memo, 'Tempo']) expect(html).toContain(text);
  // The page asks for the address by hand too: a wallet that takes a memo needs no connection.
  expect(html).toContain(qrPath(ADDRESS).path);
  for (const text of [en.send_by_wallet, en.send_with_reference, en.exchange_title, en.open_wallet])
    expect(html).not.toContain(text);
});

test('other references and tags are shown as before', () => {
  const tagged = draw({ reference: '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs', tag: '0x51544e43' });
  expect(tagged).toContain(en.send_by_wallet);
  expect(tagged).not.toContain(en.send_with_memo);
  const exact = draw({ reference: null, identified_by: 'amount' });
  expect(exact).toContain(en.exchange_title);
  expect(exact).not.toContain(`>${en.memo}<`);
});

test('on Solana a reference is shown only where the amount does not name the payment', () => {
  const reference = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';
  const [named, exact] = (['reference', 'amount'] as const).map((identified_by) =>
    draw({ asset: 'USDC', network: 'solana', reference, identified_by }),
  );
  expect(named).toContain(`>${en.reference}<`);
  expect(exact).not.toContain(reference);
});

test('an amount that could not be renewed is not there to pay, but another coin can be chosen', () => {
  const over = '2026-03-14T09:15:00Z';
  const changes = { network: 'ethereum', identified_by: 'amount', reference: null, quote_expires_at: over } as const;
  const more = { staleQuote: over, wallets: [{ id: 'w', name: 'Fern Wallet', icon: null, family: 'evm' }] } as const;
  const clock = { server_time: over, options: [{}, {}] };
  const html = draw(changes, { ...more, wallets: [...more.wallets] }, clock);
  for (const text of [ADDRESS.slice(-4), 'data-amount', 'Pay with Fern Wallet', en.exchange_title])
    expect(html).not.toContain(text);
  expect(html).toContain(en.choose_another);
  const renewed = draw({ ...changes, quote_expires_at: '2026-03-14T09:30:00Z' }, { staleQuote: over }, clock);
  for (const text of [ADDRESS.slice(-4), 'data-amount']) expect(renewed).toContain(text);
});

test('another coin can be chosen until the wallet asks to confirm this one', () => {
  const options = { options: [{}, {}] };
  const [checking, confirm] = (['checking', 'confirm'] as const).map((step) =>
    draw({}, { wallet: { step, wallet: 'Fern Wallet' } }, options),
  );
  expect(checking).toContain(en.choose_another);
  expect(confirm).not.toContain(en.choose_another);
});

test('who says that the wallet has sent nothing looks at the known transaction before they can pay again', () => {
  const html = draw({}, { wallet: { step: 'sent', hash: '0x5c50' } });
  const asked = html.split(`<details><summary>${en.wallet_not_sent}</summary>`)[1] ?? '';
  expect(asked).toMatch(/^<p>Check this transaction first.*0x5c50.*data-view="auto">Try again</);
  expect(html.split('data-view="auto"')).toHaveLength(2);
  // A wallet that took calls may not say which transaction it is.
  const unnamed = draw({}, { wallet: { step: 'sent', hash: null } });
  expect(unnamed).toContain(`<summary>${en.wallet_not_sent}</summary><p>${en.wallet_unknown}</p>`);
  expect(unnamed).not.toContain(en.wallet_not_sent_check);
});

test('a page whose own wallet has sent waits for the network, and neither speaks of fees nor asks for a hash', () => {
  const hinted = { noticed: true, wallet: null };
  const sought = draw({}, hinted);
  for (const text of [en.waiting, en.network_fee_note, '<details open>']) expect(sought).toContain(text);
  const sent = draw({}, { ...hinted, wallet: { step: 'sent', hash: '0x5c50' } });
  expect(sent).toContain(`</span>${en.waiting_sent}</p>`);
  for (const text of [en.waiting, en.network_fee_note, '<details open>']) expect(sent).not.toContain(text);
  // One that may have sent, and does not say so, is not known to have.
  const values = { network: '', coin: '', asset: '', balance: '', amount: '' };
  const unknown = draw({}, { ...hinted, wallet: { step: 'failed', key: 'wallet_unknown', values } });
  for (const text of [en.waiting, '<details open>']) expect(unknown).toContain(text);
});

test('a named hash is answered with the transfer that it names, not with another one that arrived', () => {
  const other = { asset: 'USDC', network: 'tempo', amount: '2', tx_hash: '0x5c50', reason: 'other_asset' } as const;
  const arrived = [{ ...other, reason: 'no_match' } as const];
  const answer = (others: PublicPayment['other_transfers'], typed: string) =>
    draw({ other_transfers: others }, { noticed: true, typed }, { merchant: {} }).split(`>${en.sent_title}<`)[1];
  expect(answer([other], '0x77aa')).toContain(en.hash_submitted);
  for (const named of [answer([other], 'https://explorer.example/tx/0x5c50'), answer(arrived, '')])
    expect(named).toContain(en.other_transfer_title);
});

test('no translator changes what the page compares with the service, or counts down', () => {
  const html = draw({ quote_expires_at: '2026-03-14T09:30:00Z' }, {}, { server_time: '2026-03-14T09:15:00Z' });
  const kept = html.match(/<(\w+)[^>]*class="[^"]*notranslate[^"]*"[^>]*>.*?<\/\1>/gs)?.join('') ?? '';
  for (const text of ['data-amount', 'data-address', MEMO, 'Price updates in 15:00', 'Send 40 USDT'])
    expect(kept).toContain(text);
});

test('who pays a conversion from an exchange is asked for as many decimals as exchanges take, rounded up', () => {
  const amount = '0.082077295685279189';
  const routed = { asset: 'BNB', network: 'bnb', kind: 'routed', amount, amount_due: amount } as const;
  const changes = { ...routed, reference: null, identified_by: null, uri: null };
  const html = draw(changes, { exchange: true });
  for (const text of ['Send 0.0820773 BNB', '0.0820773 BNB must arrive', en.exchange_round_up])
    expect(html).toContain(text);
  // Nothing has to be found by its hash at an address of this payment alone.
  for (const text of [amount, 'paste the transaction hash']) expect(html).not.toContain(text);

  const byWallet = draw(changes);
  for (const text of [`Send ${amount} BNB`, '0.0820773 BNB must arrive']) expect(byWallet).toContain(text);
  const direct = draw({ ...changes, kind: 'direct', identified_by: 'amount' }, { exchange: true });
  for (const text of [`${amount} BNB must arrive`, 'paste the transaction hash']) expect(direct).toContain(text);
});

const ALL = ['a wallet here', 'a wallet elsewhere', 'a link', 'another code'];

test.each([
  ['pay', {}, {}, ALL],
  ['pay a conversion', { kind: 'routed' }, {}, ALL],
  ['pay the rest', { amount_seen: '10.000000', amount_due: '30.000000' }, {}, ALL],
  ['pay from an exchange', {}, { exchange: true }, ['a wallet here', 'another code']],
  ['pay by a wallet alone', { identified_by: 'reference', reference: ADDRESS }, {}, ALL.slice(0, 3)],
] as const)(
  'to %s, a test offers no wallet and no link to one, and its code is its own page',
  (_what, changes, more, live) => {
    const wallets = (['evm', 'solana'] as const).map((family) => ({ id: family, name: 'Fern', icon: null, family }));
    const offered = (livemode: boolean, network: string): string[] => {
      const links = { page: PAGE, solanaPay: 'solana:https://pay.example.com/checkout/cs_1/solana-pay' };
      const payment = { asset: 'USDC', network, identified_by: 'amount', uri: `ethereum:${ADDRESS}@84532`, ...changes };
      // A phone without a wallet here is led to one.
      const html = [wallets, []]
        .map((found) =>
          draw(payment as object, { links, walletConnect: {}, wallets: found, ...more } as object, { livemode }),
        )
        .join('');
      const codes = [...html.matchAll(/class="qr".*?<path d="([^"]+)"/gs)].map(([, path]) => path);
      const found = [
        /(Pay|Sign) with Fern/.test(html),
        html.includes('WalletConnect'),
        /href="(?!\/checkout|#tx-hash)/.test(html),
        codes.some((path) => path !== qrPath(PAGE).path),
      ];
      return ALL.filter((_one, at) => found[at]);
    };
    expect([offered(true, 'base'), offered(false, 'base'), offered(false, 'solana')]).toEqual([live, [], []]);
  },
);
