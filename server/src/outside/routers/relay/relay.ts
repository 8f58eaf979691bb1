import { later, SECOND_MS } from '../../../platform/time.ts';
import { askRouteProvider, at, readAnswer } from '../answer.ts';
import { depositAddressOn } from '../deposit-address.ts';
import { placeholderAddress } from '../placeholder-address.ts';
import { type RouteOrder, type Router, RouteRefusedError, type RouteRequest } from '../router.ts';
import { RELAY_CHAINS, relayDirectory } from './currencies.ts';
import { progressOf } from './progress.ts';
import { checkQuote, type RelayQuoteRequest } from './quote.ts';
import { refusalOf } from './refusal.ts';

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

/** Relay with strict deposit addresses: one order each, exact output, other deposits are refunded. */
export function createRelay(settings: RelaySettings): Router {
  const { url, key, feeRecipient } = settings;
  const now = settings.now ?? (() => new Date());
  const timeoutMs = settings.timeoutMs ?? 15_000;
  const headers: Record<string, string> = key ? { 'x-api-key': key } : {};
  const directory = relayDirectory(url, headers, timeoutMs, now);

  async function quote(request: RouteRequest, refundTo: string, ttlSeconds: number) {
    const [originCurrency, destinationCurrency] = await Promise.all([
      directory.currencyOf(request.pay),
      directory.currencyOf(request.receive),
    ]);
    if (!originCurrency || !destinationCurrency) throw new RouteRefusedError('Relay does not have this pair');
    const sent: RelayQuoteRequest = {
      user: placeholderAddress(request.pay.network),
      recipient: request.recipient,
      originChainId: RELAY_CHAINS[request.pay.network],
      originCurrency,
      destinationChainId: RELAY_CHAINS[request.receive.network],
      destinationCurrency,
      amount: request.outputUnits.toString(),
      tradeType: 'EXACT_OUTPUT',
      useDepositAddress: true,
      strict: true,
      refundTo,
      slippageTolerance: '100',
      ttl: ttlSeconds,
      referrer: 'quittance',
      ...(feeRecipient &&
        /^0x[0-9a-fA-F]{40}$/.test(feeRecipient) && { appFees: [{ recipient: feeRecipient, fee: FEE_BPS }] }),
    };
    const { status, body } = await askRouteProvider(`${url}/quote/v2`, {
      method: 'POST',
      headers,
      body: sent,
      timeoutMs,
    });
    if (status < 200 || status >= 300) throw refusalOf(status, body);
    const [originName, destinationName] = await Promise.all([
      directory.chainNameOf(request.pay.network),
      directory.chainNameOf(request.receive.network),
    ]);
    return {
      ...readAnswer('Relay', () =>
        checkQuote(body, sent, { pay: request.pay, receive: request.receive, originName, destinationName }),
      ),
      raw: body,
    };
  }

  return {
    name: 'relay',
    async supports(pay, receive) {
      const [depositable, to] = await Promise.all([directory.isDepositable(pay), directory.currencyOf(receive)]);
      return depositable && to !== undefined;
    },
    async preview(request) {
      const { inputUnits } = await quote(request, placeholderAddress(request.pay.network), 1_800);
      return {
        provider: 'relay',
        inputUnits,
        outputUnits: request.outputUnits,
        expiresAt: later(now(), PREVIEW_TTL_MS),
      };
    },
    async order(request): Promise<RouteOrder> {
      const ttlSeconds = Math.ceil((request.deadline.getTime() - now().getTime()) / SECOND_MS);
      const { inputUnits, requestId, depositAddress, raw } = await quote(request, request.refundAddress, ttlSeconds);
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
        expiresAt: request.deadline,
        deadline: request.deadline,
      };
    },
    async progress({ reference, raw }) {
      const { status, body } = await askRouteProvider(
        `${url}/intents/status/v3?requestId=${encodeURIComponent(reference)}`,
        { headers, timeoutMs: Math.min(timeoutMs, STATUS_TIMEOUT_MS) },
      );
      if (status === 404) return { state: 'waiting', isUnknown: true };
      if (status < 200 || status >= 300) throw refusalOf(status, body);
      return readAnswer('Relay', () => progressOf(body, { reference, raw }));
    },
    async hint({ depositAddress, raw }) {
      const chainId = at(raw, 'details', 'currencyIn', 'currency', 'chainId');
      await askRouteProvider(`${url}/transactions/deposit-address/reindex`, {
        method: 'POST',
        headers,
        body: { chainId, depositAddress },
        timeoutMs,
      });
    },
    async close() {},
  };
}
