import { base58 } from '@scure/base';
import { CURRENCIES, PAY_ASSETS, type QueryOf, RECEIVE_NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { readEmailAddress } from '../../platform/email-address.ts';
import { withinPage } from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { parseUnits } from '../../platform/money.ts';
import { presentPayment } from '../../settlement/records/present-payment.ts';
import { type CustomerRow, searchCustomers } from '../customers/store.ts';
import { readMemo } from '../../outside/chains/pure/memo.ts';
import { transactionHashIn } from '../../outside/chains/pure/transaction-hash.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { readFilter } from '../payments/list.ts';
import type { SearchJson, search } from '@quittance/contract/dashboard';
import {
  type CoinAmount,
  findByAmount,
  findByCoinAmount,
  findByCustomer,
  findByIds,
  findByLink,
  findByName,
  findByOrder,
  findByReference,
  findBySender,
  findByText,
  findByTransaction,
  findOtherObjects,
  findPaymentsById,
  findUnattributed,
  narrow,
} from './search-store.ts';

const MAX_FOUND = 50;
/** With a filter, each search finds more, because few of them may fit. */
const MAX_NARROWED = 1_000;
const MAX_TRANSFERS = 10;
const MAX_NAMED = 5;
/** A single letter would find nearly everything. */
const MIN_NAME = 2;
/** Fewer signs would end too many order numbers. */
const MIN_ORDER_END = 3;
/** What may stand before or after an amount. */
const UNITS = new Set<string>(['$', '€', ...CURRENCIES, ...PAY_ASSETS.map(({ asset }) => asset)]);

/**
 * Finds what a merchant pasted: an id (a link's finds its payments), an order number, its beginning or its end, a
 * customer, a price or a coin's exact amount, a transaction hash, an address; or a part of a name: of a customer, link,
 * wallet, endpoint or key; or of what a recent payment was for, or its customer noted.
 */
export async function searchAll(
  ctx: Context,
  account: Account,
  { q, ...filter }: QueryOf<typeof search>,
): Promise<SearchJson> {
  const { db } = ctx;
  const text = q.trim();
  if (text === '') return { payments: [], others: [] };
  const txHash = hashIn(text);
  const reference = referenceIn(text);
  const addresses = addressForms(text);
  const amount = withoutUnit(text);
  const order = text.replace(/^#/, '');
  const isNarrowed = Object.keys(filter).length > 0;
  const most = isNarrowed ? MAX_NARROWED : MAX_FOUND;
  const found = await Promise.all([
    isAnId(text) ? findByIds(db, account, text) : [],
    isId('pl', text) ? findByLink(db, account, text, most) : [],
    txHash === null ? [] : findByTransaction(db, account, txHash, RECEIVE_NETWORKS),
    reference === null ? [] : findByReference(db, account, reference),
    Promise.all(addresses.map((address) => findBySender(db, account, address, most))).then((all) => all.flat()),
    findByOrder(db, account, text, most),
    findByCustomer(db, account, { reference: text, email: readEmailAddress(text) }, most),
    isAmount(amount) ? findByAmount(db, account, minorOf(amount), most) : [],
    isCoinAmount(amount) ? findByCoinAmount(db, account, coinAmountsOf(amount), most) : [],
    text.length < MIN_NAME
      ? []
      : findByText(db, account, { part: text, orderEnd: order.length < MIN_ORDER_END ? null : order }, most),
  ]);
  const all = [...new Set(found.flat())];
  const ids = (isNarrowed ? await narrow(db, account, all, readFilter(filter)) : all).slice(0, MAX_FOUND);
  const [payments, others, transfers, named, customers] = await Promise.all([
    ids.length > 0 ? findPaymentsById(db, account, ids) : [],
    findOtherObjects(db, account, text, addresses),
    txHash === null && addresses.length === 0
      ? []
      : findUnattributed(db, account, { txHash, networks: RECEIVE_NETWORKS, senders: addresses }, MAX_TRANSFERS),
    text.length < MIN_NAME ? [] : findByName(db, account, text, MAX_NAMED),
    text.length < MIN_NAME ? [] : searchCustomers(db, account, text),
  ]);
  const exact = new Set(others.map(({ id }) => id));
  return {
    payments: withinPage(payments.map((payment) => presentPayment(ctx, payment))),
    others: [
      ...customers.slice(0, MAX_NAMED).map(presentCustomer),
      ...others,
      ...named.filter(({ id }) => !exact.has(id)),
      ...transfers,
    ],
  };
}

function presentCustomer({ id, name, email, reference }: CustomerRow): SearchJson['others'][number] {
  const identity = reference === null ? { email: email ?? '' } : { reference };
  return { kind: 'customer', id, label: name ?? email ?? reference ?? '', identity };
}

function isAnId(text: string): boolean {
  return isId('pay', text) || isId('cs', text) || isId('evt', text) || isId('tr', text) || isId('dlv', text);
}

/** A transaction hash, as the first network whose hashes look so stores it. */
function hashIn(text: string): string | null {
  return RECEIVE_NETWORKS.map((network) => transactionHashIn(network, text)).find(Boolean) ?? null;
}

/** A whole reference in base58, or a memo, as text or as the bytes that explorers show. */
function referenceIn(text: string): Uint8Array | null {
  if (/^[1-9A-HJ-NP-Za-km-z]{43,44}$/.test(text)) return base58.decode(text);
  const bytes = /^0x[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text);
  const reference = readMemo(bytes);
  return reference === bytes ? null : reference;
}

/** An amount as the pages and other people write it, such as `$49.00`, `49,00 EUR` or `49.000317 USDC`. */
function withoutUnit(text: string): string {
  const [, before = '', amount = '', after = ''] = /^([^\s\d]*)\s*(\d[\d.,]*)\s*([^\s\d]*)$/.exec(text) ?? [];
  return UNITS.has((before + after).toUpperCase()) ? amount : text;
}

/** `49`, `49.5` or `49,50`. */
function isAmount(text: string): boolean {
  return /^\d{1,9}([.,]\d{1,2})?$/.test(text);
}

function minorOf(text: string): bigint {
  const [units = '0', cents = ''] = text.split(/[.,]/);
  return BigInt(units) * 100n + BigInt(cents.padEnd(2, '0'));
}

/** With decimals: `49.000317`, `0,0213`, `15.5`. */
function isCoinAmount(text: string): boolean {
  return /^\d{1,12}[.,]\d{1,18}$/.test(text);
}

/** The amount in each coin that has as many decimals. */
function coinAmountsOf(text: string): CoinAmount[] {
  const plain = text.replace(',', '.');
  const fraction = plain.split('.')[1] ?? '';
  return PAY_ASSETS.filter(({ decimals }) => fraction.length <= decimals).map(({ asset, network, decimals }) => ({
    asset,
    network,
    units: parseUnits(plain, decimals),
  }));
}

/** The canonical forms of what may be an address, on either family. */
function addressForms(text: string): string[] {
  const forms = (['ethereum', 'solana', 'tron'] as const)
    .map((network) => validateAddress(network, text))
    .filter((verdict) => verdict.ok);
  return forms.map(({ address }) => address);
}
