import { type Asset, isStablecoin } from '@quittance/contract';
import { TemporaryError } from '../../../platform/errors.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';
import { askRouteProvider, readAnswer } from '../answer.ts';
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
import { progressOf } from './progress.ts';
import { checkQuote } from './quote.ts';
import type { QuoteRequest } from './shapes.ts';
import { type TokenDirectory, tokenDirectory } from './tokens.ts';

export interface OneClickSettings {
  url: string;
  key: string | null;
  /** The key that quotes are signed with: `ed25519:…`. */
  signer: string;
  /** The account that receives the service fee. Without it no fee is charged. */
  feeRecipient: string | null;
  /** The operator's minimum share of the fee in percent, as agreed with the provider. */
  feeSharePercent?: number;
  now?: () => Date;
  timeoutMs?: number;
}

const FEE_BPS = 150;
/** Longer than the service's own quotes are valid: a preview may be cached shortly before it is shown. */
const PREVIEW_TTL_MS = 120 * SECOND_MS;
/** Many orders are polled repeatedly, so each poll has a short timeout. */
const STATUS_TIMEOUT_MS = 5 * SECOND_MS;
/** How long the provider may look for a better price. */
const WAITING_MS = 3 * SECOND_MS;

/** NEAR Intents' 1Click API: exact outputs, one deposit address per order, every quote signed. */
export function createOneClick(settings: OneClickSettings): Router {
  return new OneClick(settings);
}

class OneClick implements Router {
  readonly name = 'one-click';
  readonly #settings: OneClickSettings;
  readonly #now: () => Date;
  readonly #timeoutMs: number;
  readonly #headers: Record<string, string>;
  readonly #tokens: TokenDirectory;

  constructor(settings: OneClickSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? (() => new Date());
    this.#timeoutMs = settings.timeoutMs ?? 15_000;
    this.#headers = settings.key ? { authorization: `Bearer ${settings.key}` } : {};
    this.#tokens = tokenDirectory(settings.url, this.#headers, this.#timeoutMs, this.#now);
  }

  async supports(pay: Asset, receive: Asset): Promise<boolean> {
    const [from, to] = await Promise.all([this.#tokens.idOf(pay), this.#tokens.idOf(receive)]);
    return from !== undefined && to !== undefined;
  }

  async preview(request: RouteRequest): Promise<RoutePreview> {
    const deadline = later(this.#now(), 30 * MINUTE_MS);
    const { inputUnits } = await this.#quote(request, {
      dry: true,
      refundTo: placeholderAddress(request.pay.network),
      deadline,
    });
    return {
      provider: 'one-click',
      inputUnits,
      outputUnits: request.outputUnits,
      expiresAt: later(this.#now(), PREVIEW_TTL_MS),
    };
  }

  async order(request: OrderRequest): Promise<RouteOrder> {
    const checked = await this.#quote(request, {
      dry: false,
      refundTo: request.refundAddress,
      deadline: request.deadline,
    });
    return {
      provider: 'one-click',
      reference: checked.depositAddress as string,
      depositAddress: depositAddressOn(request.pay.network, checked.depositAddress as string),
      inputUnits: checked.inputUnits,
      minimumInputUnits: checked.minimumInputUnits,
      outputUnits: request.outputUnits,
      refundAddress: request.refundAddress,
      expiresAt: checked.deadline as Date,
      deadline: checked.deadline as Date,
      raw: checked.response,
    };
  }

  async progress({ reference, raw }: OrderRecord): Promise<RouteProgress> {
    const { status, body } = await askRouteProvider(
      `${this.#settings.url}/v0/status?depositAddress=${encodeURIComponent(reference)}`,
      { headers: this.#headers, timeoutMs: Math.min(this.#timeoutMs, STATUS_TIMEOUT_MS) },
    );
    // A new address is not known at once. That has no consequence.
    if (status === 404) return { state: 'waiting', isUnknown: true };
    if (status < 200 || status >= 300) throw refusalOf(status, body);
    return readAnswer('1Click', () => progressOf(body, { reference, raw }));
  }

  async hint({ reference: depositAddress }: OrderRecord, txHash: string): Promise<void> {
    await this.#post('/v0/deposit/submit', { txHash, depositAddress });
  }

  async close(): Promise<void> {}

  async #quote(request: RouteRequest, terms: QuoteTerms) {
    const { signer, feeRecipient, feeSharePercent = 50 } = this.#settings;
    const [originAsset, destinationAsset] = await Promise.all([
      this.#tokens.idOf(request.pay),
      this.#tokens.idOf(request.receive),
    ]);
    if (!originAsset || !destinationAsset) throw new RouteRefusedError('1Click does not have this pair');
    const sent = quoteRequest(request, terms, { originAsset, destinationAsset, feeRecipient });
    const { status, body } = await this.#post('/v0/quote', sent);
    if (status < 200 || status >= 300) throw refusalOf(status, body);
    const rules = {
      signer,
      feeSharePercent,
      now: this.#now(),
      decimals: { pay: request.pay.decimals, receive: request.receive.decimals },
    };
    return readAnswer('1Click', () => checkQuote(body, sent, rules));
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

interface QuoteTerms {
  dry: boolean;
  refundTo: string;
  deadline: Date;
}

function quoteRequest(
  request: RouteRequest,
  terms: QuoteTerms,
  ids: { originAsset: string; destinationAsset: string; feeRecipient: string | null },
): QuoteRequest {
  return {
    dry: terms.dry,
    depositMode: 'SIMPLE',
    swapType: 'EXACT_OUTPUT',
    slippageTolerance: slippageBps(request.pay),
    originAsset: ids.originAsset,
    depositType: 'ORIGIN_CHAIN',
    destinationAsset: ids.destinationAsset,
    amount: request.outputUnits.toString(),
    refundTo: terms.refundTo,
    refundType: 'ORIGIN_CHAIN',
    recipient: request.recipient,
    recipientType: 'DESTINATION_CHAIN',
    deadline: terms.deadline.toISOString(),
    quoteWaitingTimeMs: WAITING_MS,
    referral: 'quittance',
    ...(ids.feeRecipient && { appFees: [{ recipient: ids.feeRecipient, fee: FEE_BPS }] }),
  };
}

/** How far the price may move between quote and deposit. The buffer also covers an exchange's withdrawal fee. */
function slippageBps(pay: Asset): number {
  return isStablecoin(pay.asset) ? 100 : 200;
}

/**
 * The error for a response that is not a quote: rejected for good, or temporarily. The provider's message is only
 * logged.
 */
function refusalOf(status: number, body: unknown): Error {
  const message =
    typeof body === 'object' && body !== null && typeof (body as { message?: unknown }).message === 'string'
      ? (body as { message: string }).message.slice(0, 300)
      : '';
  if (status === 429 || status >= 500 || /internal server error/i.test(message))
    return new TemporaryError(`1Click answered ${status}: ${message}`);
  if (status === 401) return new TemporaryError(`1Click rejected the API key: ${message}`);
  if (status === 403 || status === 451 || /compliance/i.test(message))
    return new RouteRefusedError(`compliance: ${message}`);
  const minimum = /too low for bridge, try at least (\d{1,78})/i.exec(message)?.[1];
  return new RouteRefusedError(
    message || `1Click answered ${status}`,
    minimum === undefined ? undefined : BigInt(minimum),
  );
}
