import type { Asset } from '@quittance/contract';
import { TemporaryError } from '../../../platform/errors.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';
import { askRouteProvider, at, readAnswer } from '../answer.ts';
import { depositAddressOn, placeholderAddress } from '../addresses.ts';
import {
  type OrderRecord,
  type OrderRequest,
  type RouteOrder,
  type RoutePreview,
  type RouteProgress,
  type Router,
  RouteRefusedError,
  type RouteRequest,
} from '../router.ts';
import { type Directory, RELAY_CHAINS, relayDirectory } from './currencies.ts';
import { progressOf } from './progress.ts';
import type { RelayQuoteRequest } from './quote-request.ts';
import { checkQuote } from './quote.ts';

export interface RelaySettings {
  url: string;
  key: string | null;
  /** An Ethereum address that can claim the service fee. Without it no fee is charged. */
  feeRecipient: string | null;
  now?: () => Date;
  timeoutMs?: number;
}

const FEE_BPS = '150';
/** Many orders are polled repeatedly, so each poll has a short timeout. */
const STATUS_TIMEOUT_MS = 5 * SECOND_MS;
/** Longer than the service's own quotes are valid: a preview may be cached shortly before it is shown. */
const PREVIEW_TTL_MS = 120 * SECOND_MS;
/** The deadline of an order that is only previewed. */
const PREVIEW_DEADLINE_MS = 30 * MINUTE_MS;

/** Relay with strict deposit addresses: one order each, exact output, other deposits are refunded. */
export function createRelay(settings: RelaySettings): Router {
  return new Relay(settings);
}

class Relay implements Router {
  readonly name = 'relay';
  readonly #settings: RelaySettings;
  readonly #now: () => Date;
  readonly #timeoutMs: number;
  readonly #headers: Record<string, string>;
  readonly #directory: Directory;

  constructor(settings: RelaySettings) {
    this.#settings = settings;
    this.#now = settings.now ?? (() => new Date());
    this.#timeoutMs = settings.timeoutMs ?? 15_000;
    this.#headers = settings.key ? { 'x-api-key': settings.key } : {};
    this.#directory = relayDirectory(settings.url, this.#headers, this.#timeoutMs, this.#now);
  }

  async supports(pay: Asset, receive: Asset): Promise<boolean> {
    const [depositable, to] = await Promise.all([
      this.#directory.isDepositable(pay),
      this.#directory.currencyOf(receive),
    ]);
    return depositable && to !== undefined;
  }

  async preview(request: RouteRequest): Promise<RoutePreview> {
    const { inputUnits } = await this.#quote(
      request,
      placeholderAddress(request.pay.network),
      later(this.#now(), PREVIEW_DEADLINE_MS),
    );
    return {
      provider: 'relay',
      inputUnits,
      outputUnits: request.outputUnits,
      expiresAt: later(this.#now(), PREVIEW_TTL_MS),
    };
  }

  async order(request: OrderRequest): Promise<RouteOrder> {
    const { deadline } = request;
    const { inputUnits, requestId, depositAddress, fillDeadline, raw } = await this.#quote(
      request,
      request.refundAddress,
      deadline,
    );
    return {
      provider: 'relay',
      reference: requestId,
      inputUnits,
      raw,
      depositAddress: depositAddressOn(request.pay.network, depositAddress),
      // A strict address converts only the exact amount.
      minimumInputUnits: inputUnits,
      outputUnits: request.outputUnits,
      refundAddress: request.refundAddress,
      expiresAt: fillDeadline && fillDeadline < deadline ? fillDeadline : deadline,
      deadline: fillDeadline && fillDeadline > deadline ? fillDeadline : deadline,
    };
  }

  async progress({ reference, raw }: OrderRecord): Promise<RouteProgress> {
    const { status, body } = await askRouteProvider(
      `${this.#settings.url}/intents/status/v3?requestId=${encodeURIComponent(reference)}`,
      { headers: this.#headers, timeoutMs: Math.min(this.#timeoutMs, STATUS_TIMEOUT_MS) },
    );
    if (status === 404) return { state: 'waiting', isUnknown: true };
    if (status < 200 || status >= 300) throw refusalOf(status, body);
    return readAnswer('Relay', () => progressOf(body, { reference, raw }));
  }

  async hint({ depositAddress, raw }: OrderRecord): Promise<void> {
    const chainId = at(raw, 'details', 'currencyIn', 'currency', 'chainId');
    await this.#post('/transactions/deposit-address/reindex', { chainId, depositAddress });
  }

  async close(): Promise<void> {}

  async #quote(request: RouteRequest, refundTo: string, deadline: Date) {
    const { pay, receive } = request;
    const [originCurrency, destinationCurrency] = await Promise.all([
      this.#directory.currencyOf(pay),
      this.#directory.currencyOf(receive),
    ]);
    if (!originCurrency || !destinationCurrency) throw new RouteRefusedError('Relay does not have this pair');
    const { feeRecipient } = this.#settings;
    const sent: RelayQuoteRequest = {
      user: placeholderAddress(pay.network),
      recipient: request.recipient,
      originChainId: RELAY_CHAINS[pay.network],
      originCurrency,
      destinationChainId: RELAY_CHAINS[receive.network],
      destinationCurrency,
      amount: request.outputUnits.toString(),
      tradeType: 'EXACT_OUTPUT',
      useDepositAddress: true,
      strict: true,
      refundTo,
      slippageTolerance: '100',
      ttl: Math.ceil((deadline.getTime() - this.#now().getTime()) / SECOND_MS),
      referrer: 'quittance',
      ...(feeRecipient &&
        /^0x[0-9a-fA-F]{40}$/.test(feeRecipient) && { appFees: [{ recipient: feeRecipient, fee: FEE_BPS }] }),
    };
    const { status, body } = await this.#post('/quote/v2', sent);
    if (status < 200 || status >= 300) throw refusalOf(status, body);
    const [originName, destinationName] = await Promise.all([
      this.#directory.chainNameOf(pay.network),
      this.#directory.chainNameOf(receive.network),
    ]);
    return {
      ...readAnswer('Relay', () => checkQuote(body, sent, { pay, receive, originName, destinationName, deadline })),
      raw: body,
    };
  }

  #post(path: string, body: unknown) {
    return askRouteProvider(`${this.#settings.url}${path}`, {
      method: 'POST',
      headers: this.#headers,
      body,
      timeoutMs: this.#timeoutMs,
    });
  }
}

const TEMPORARY_CODES = new Set([
  'PRICE_FETCH_FAILED',
  'SERVICE_UNAVAILABLE',
  'REQUEST_TIMED_OUT',
  'RPC_HTTP_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'ROUTE_TEMPORARILY_RESTRICTED',
  'CHAIN_DISABLED',
]);
const COMPLIANCE_CODES = new Set(['SANCTIONED_WALLET_ADDRESS', 'SANCTIONED_CURRENCY', 'BLOCKED_WALLET_ADDRESS']);

/** The error for a response that is not a quote: rejected for good, or temporarily. */
function refusalOf(status: number, body: unknown): Error {
  const { errorCode, message } = (typeof body === 'object' && body !== null ? body : {}) as {
    errorCode?: unknown;
    message?: unknown;
  };
  const description = `${typeof errorCode === 'string' ? errorCode : status}: ${typeof message === 'string' ? message.slice(0, 300) : ''}`;
  if (typeof errorCode === 'string' && COMPLIANCE_CODES.has(errorCode))
    return new RouteRefusedError(`compliance: ${description}`);
  const isTemporary =
    status === 429 ||
    status >= 500 ||
    status === 401 ||
    status === 403 ||
    (typeof errorCode === 'string' && TEMPORARY_CODES.has(errorCode));
  return isTemporary ? new TemporaryError(`Relay answered ${description}`) : new RouteRefusedError(description);
}
