import { PAY_ASSETS, findAssetByKey, type Currency, type OrderFields, type ErrorCode } from '@quittance/contract';
import { type Defaults, offeredByDefault } from '../../platform/caller.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { formatDisplayAmount, parseDisplayAmount, parseUnits } from '../../platform/money.ts';
import { readRedirectUrl } from './redirect-url.ts';
import type { LineItem, SessionTerms } from './session.ts';
import { requireEmailAddress } from '../../platform/email-address.ts';
import type { Customer } from '../../settlement/records/customer.ts';
import type { Order } from '../../settlement/records/order.ts';

/** The input of a session, from a merchant or from a payment link. */
export interface SessionInput extends SessionTerms {
  expiresInSeconds: number;
}

/** The fields of a request after validation by the contract's schema. */
export interface SessionFields extends OrderFields {
  amount: string;
  currency?: Currency;
  description?: string;
  line_items?: LineItem[];
  accepted_assets?: string[];
  accepted_assets_mode?: 'all_supported' | 'custom';
  expires_in?: number;
  success_url?: string;
  cancel_url?: string;
}

const EXPIRES_IN_DEFAULT_SECONDS = 3_600;

/** Every asset of the Safe List. */
export const ALL_ASSETS: readonly string[] = PAY_ASSETS.map((entry) => entry.key);

/** Reads what the schema cannot validate, and fills in defaults: the account's, otherwise the service's. */
export function readSessionInput(request: SessionFields, defaults: Defaults): SessionInput {
  const amountMinor = parseDisplayAmount(request.amount);
  invariant(amountMinor !== undefined, 'the schema lets only display amounts through');
  return {
    amountMinor,
    currency: request.currency ?? (defaults.currency as Currency | undefined) ?? 'USD',
    ...readOrder(request, 'invalid_checkout_session'),
    lineItems: readLineItems(request.line_items, amountMinor),
    acceptedAssets: isLeftOpen(request) ? acceptedByDefault(defaults) : readAcceptedAssets(request),
    expiresInSeconds: request.expires_in ?? expiryByDefault(defaults),
    successUrl: readRedirectUrl(request.success_url, 'success_url', 'invalid_checkout_session'),
    cancelUrl: readRedirectUrl(request.cancel_url, 'cancel_url', 'invalid_checkout_session'),
    paymentLinkId: null,
    retryOf: null,
    retryUntil: null,
  };
}

function isLeftOpen({ accepted_assets: keys, accepted_assets_mode: mode }: SessionFields): boolean {
  return keys === undefined && mode === undefined;
}

export function acceptedByDefault(defaults: Defaults): string[] {
  return [...(offeredByDefault(defaults) ?? ALL_ASSETS)];
}

export function expiryByDefault({ expiresInSeconds }: Defaults): number {
  return expiresInSeconds ?? EXPIRES_IN_DEFAULT_SECONDS;
}

/** The assets in their canonical spelling, without duplicates. A list without a mode accepts exactly these. */
function readAcceptedAssets({ accepted_assets: keys, accepted_assets_mode: mode }: SessionFields): string[] {
  const named = [...new Set((keys ?? []).map(readAssetKey))];
  if (mode === 'all_supported') return [...ALL_ASSETS];
  if (named.length === 0) {
    fail('invalid_checkout_session', {
      param: 'accepted_assets',
      message:
        'With `accepted_assets_mode` `custom`, `accepted_assets` must name at least one asset, such as `USDC_BASE`.',
    });
  }
  return named;
}

function readAssetKey(key: string, index: number): string {
  return (
    findAssetByKey(key)?.key ??
    fail('invalid_checkout_session', {
      param: `accepted_assets[${index}]`,
      message: `\`accepted_assets[${index}]\` is not a supported asset. Send one of ${ALL_ASSETS.join(', ')}.`,
    })
  );
}

/** Lines with two decimals on their amounts. If one names a unit price, the lines must add up exactly. */
function readLineItems(items: LineItem[] | undefined, amountMinor: bigint): LineItem[] | null {
  if (items === undefined) return null;
  const read = items.map(readLineItem);
  if (!read.some((item) => item.unit_amount !== undefined)) return read;

  const sum = read.reduce((total, item) => total + signedMinor(item.amount), 0n);
  if (sum !== amountMinor)
    fail('invalid_checkout_session', {
      param: 'line_items',
      message:
        `\`line_items\` add up to ${formatDisplayAmount(sum)}, but \`amount\` is ` +
        `${formatDisplayAmount(amountMinor)}. Send lines that add up to \`amount\`, including shipping, tax and discounts.`,
    });
  return read;
}

function readLineItem({ name, quantity, amount, unit_amount: unit }: LineItem, index: number): LineItem {
  const line = { name, quantity, amount: formatDisplayAmount(signedMinor(amount)) };
  if (unit === undefined) return line;

  const total = BigInt(quantity) * signedMinor(unit);
  if (total !== signedMinor(amount))
    fail('invalid_checkout_session', {
      param: `line_items[${index}].amount`,
      message: `\`line_items[${index}].amount\` must be \`quantity\` × \`unit_amount\`, which is ${formatDisplayAmount(total)}.`,
    });
  return { ...line, unit_amount: formatDisplayAmount(signedMinor(unit)) };
}

/** Minor units of an amount that may be negative, such as a discount. */
function signedMinor(amount: string): bigint {
  const minor = parseUnits(amount.replace('-', ''), 2);
  return amount.startsWith('-') ? -minor : minor;
}

/** The order of a request that the contract's schema let through. */
export function readOrder(fields: OrderFields & { description?: string }, code: ErrorCode): Order {
  return {
    orderId: fields.order_id ?? null,
    metadata: fields.metadata ?? {},
    customer: readCustomer(fields.customer, code),
    description: fields.description ?? null,
  };
}

/** The customer to store; null if no field says anything. */
function readCustomer(fields: OrderFields['customer'], code: ErrorCode): Customer | null {
  if (fields === undefined) return null;
  const customer = {
    email: fields.email === undefined ? null : requireEmailAddress(fields.email, 'customer.email', code),
    name: fields.name ?? null,
    reference: fields.reference ?? null,
  };
  return customer.email === null && customer.name === null && customer.reference === null ? null : customer;
}
