import type { Asset } from '@quittance/contract';
import { later, MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';
import { askRouteProvider, readAnswer } from '../answer.ts';
import { depositAddressOn } from '../deposit-address.ts';
import { placeholderAddress } from '../placeholder-address.ts';
import { type RouteOrder, type Router, RouteRefusedError, type RouteRequest } from '../router.ts';
import { progressOf } from './progress.ts';
import { checkQuote } from './quote.ts';
import { refusalOf } from './refusal.ts';
import type { QuoteRequest } from './shapes.ts';
import { tokenDirectory } from './tokens.ts';

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
  const { url, key, signer, feeRecipient } = settings;
  const now = settings.now ?? (() => new Date());
  const timeoutMs = settings.timeoutMs ?? 15_000;
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const tokens = tokenDirectory(url, headers, timeoutMs, now);

  async function quote(request: RouteRequest, terms: { dry: boolean; refundTo: string; deadline: Date }) {
    const [originAsset, destinationAsset] = await Promise.all([tokens.idOf(request.pay), tokens.idOf(request.receive)]);
    if (!originAsset || !destinationAsset) throw new RouteRefusedError('1Click does not have this pair');
    const sent: QuoteRequest = {
      dry: terms.dry,
      depositMode: 'SIMPLE',
      swapType: 'EXACT_OUTPUT',
      slippageTolerance: slippageBps(request.pay),
      originAsset,
      depositType: 'ORIGIN_CHAIN',
      destinationAsset,
      amount: request.outputUnits.toString(),
      refundTo: terms.refundTo,
      refundType: 'ORIGIN_CHAIN',
      recipient: request.recipient,
      recipientType: 'DESTINATION_CHAIN',
      deadline: terms.deadline.toISOString(),
      quoteWaitingTimeMs: WAITING_MS,
      referral: 'quittance',
      ...(feeRecipient && { appFees: [{ recipient: feeRecipient, fee: FEE_BPS }] }),
    };
    const { status, body } = await askRouteProvider(`${url}/v0/quote`, {
      method: 'POST',
      headers,
      body: sent,
      timeoutMs,
    });
    if (status < 200 || status >= 300) throw refusalOf(status, body);
    const rules = {
      signer,
      feeSharePercent: settings.feeSharePercent ?? 50,
      now: now(),
      decimals: { pay: request.pay.decimals, receive: request.receive.decimals },
    };
    return readAnswer('1Click', () => checkQuote(body, sent, rules));
  }

  return {
    name: 'one-click',
    async supports(pay, receive) {
      const [from, to] = await Promise.all([tokens.idOf(pay), tokens.idOf(receive)]);
      return from !== undefined && to !== undefined;
    },
    async preview(request) {
      const deadline = later(now(), 30 * MINUTE_MS);
      const { inputUnits } = await quote(request, {
        dry: true,
        refundTo: placeholderAddress(request.pay.network),
        deadline,
      });
      return {
        provider: 'one-click',
        inputUnits,
        outputUnits: request.outputUnits,
        expiresAt: later(now(), PREVIEW_TTL_MS),
      };
    },
    async order(request): Promise<RouteOrder> {
      const checked = await quote(request, { dry: false, refundTo: request.refundAddress, deadline: request.deadline });
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
    },
    async progress({ reference, raw }) {
      const { status, body } = await askRouteProvider(
        `${url}/v0/status?depositAddress=${encodeURIComponent(reference)}`,
        { headers, timeoutMs: Math.min(timeoutMs, STATUS_TIMEOUT_MS) },
      );
      // A new address is not known at once. That has no consequence.
      if (status === 404) return { state: 'waiting', isUnknown: true };
      if (status < 200 || status >= 300) throw refusalOf(status, body);
      return readAnswer('1Click', () => progressOf(body, { reference, raw }));
    },
    async hint({ reference: depositAddress }, txHash) {
      await askRouteProvider(`${url}/v0/deposit/submit`, {
        method: 'POST',
        headers,
        body: { txHash, depositAddress },
        timeoutMs,
      });
    },
    async close() {},
  };
}

/** How far the price may move between quote and deposit. The buffer also covers an exchange's withdrawal fee. */
function slippageBps(pay: Asset): number {
  return pay.asset === 'USDC' || pay.asset === 'USDT' ? 100 : 200;
}
