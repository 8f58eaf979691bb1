import type { EvmNetwork } from '@quittance/contract';
import {
  BaseError,
  createPublicClient,
  hashMessage,
  http,
  HttpRequestError,
  LimitExceededRpcError,
  type PublicClient,
  TimeoutError,
} from 'viem';
import { cached } from '../../../platform/cached.ts';
import { createShares, type Shares } from '../../../platform/client-share.ts';
import type { Client } from '../../../platform/http/admission/client.ts';
import { TemporaryError } from '../../../platform/errors.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import type { ContractWalletVerifier } from '../contract-wallet.ts';

const DEADLINE_MS = 5 * SECOND_MS;
const MAX_PROVIDERS = 3;
const MIN_AGREEING_PROVIDERS = 2;
// Anyone can log in, and a contract decides how long its check takes: several calls, and up to five seconds.
const CHECKS_AT_ONCE = {
  login: { limit: 40, perClient: 8 },
  proof: { limit: 20, perClient: 4 },
  claim: { limit: 20, perClient: 20 },
};
const CHECKS_OF_ADDRESS_AT_ONCE = { limit: 10, perClient: 3 };
const SIGNATURE_LENGTH_LIMIT = 2 + 2 * 16 * 1024;
const CODE_TTL_MS = 10 * SECOND_MS;
const MAX_CACHED_CODES = 1_000;
// The suffix of a signature from a wallet that is not deployed yet (ERC-6492).
const UNDEPLOYED_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492';

type Hex = `0x${string}`;

/** Contract wallets by ERC-1271, and by ERC-6492 before deployment, over JSON-RPC. */
export function createContractWalletVerifier(
  rpcUrls: (network: EvmNetwork) => readonly string[],
): ContractWalletVerifier {
  const providers = new Map<string, Provider>();
  const checks = {
    login: createShares(CHECKS_AT_ONCE.login),
    proof: createShares(CHECKS_AT_ONCE.proof),
    claim: createShares(CHECKS_AT_ONCE.claim),
  };
  const ofAddresses = new Map<string, { shares: Shares; held: number }>();

  function providerAt(url: string): Provider {
    const known = providers.get(url) ?? createProvider(url);
    providers.set(url, known);
    return known;
  }

  /** Acquires one of the address's slots. Returns its release; undefined if none is left for this client. */
  function acquireSlot(address: string, client: Client | null): (() => void) | undefined {
    const slots = ofAddresses.get(address) ?? { shares: createShares(CHECKS_OF_ADDRESS_AT_ONCE), held: 0 };
    if (!slots.shares.acquire(client)) return undefined;
    slots.held += 1;
    ofAddresses.set(address, slots);
    return () => {
      slots.shares.release(client);
      slots.held -= 1;
      if (slots.held === 0) ofAddresses.delete(address);
    };
  }

  return {
    async isSigned({ network, address, message, signature }, asker) {
      const asked = rpcUrls(network).slice(0, MAX_PROVIDERS).map(providerAt);
      if (
        asked.length < MIN_AGREEING_PROVIDERS ||
        !/^0x([0-9a-f]{2})+$/i.test(signature) ||
        signature.length > SIGNATURE_LENGTH_LIMIT
      )
        return false;
      const client = asker.for === 'claim' ? null : asker.client;
      const releaseSlot = acquireSlot(`${asker.for} ${network} ${address.toLowerCase()}`, client);
      if (!releaseSlot || !checks[asker.for].acquire(client)) {
        releaseSlot?.();
        throw new TemporaryError('too many contract wallets are being checked');
      }
      try {
        const answer = hasQuorum(
          asked.map((provider) => provider.agrees({ address: address as Hex, message, signature: signature as Hex })),
        );
        // A claim is kept and checked again. A person tries again by themselves.
        return await (asker.for === 'claim' ? answer : answer.catch(() => false));
      } finally {
        checks[asker.for].release(client);
        releaseSlot();
      }
    },
  };
}

interface Provider {
  /** Null if it did not answer. */
  agrees(signed: { address: Hex; message: string; signature: Hex }): Promise<boolean | null>;
}

/** One provider's answer. An error of the call itself counts as no: the contract decides how it fails. */
function createProvider(url: string): Provider {
  const client = createPublicClient({ transport: http(url, { timeout: DEADLINE_MS, retryCount: 0 }) });
  const hasCode = cachedCodeLookup(client);

  return {
    async agrees({ address, message, signature }) {
      try {
        const isDeployed = await hasCode(address);
        if (!isDeployed && !signature.toLowerCase().endsWith(UNDEPLOYED_SUFFIX)) return false;
        return await client.verifyHash({ address, hash: hashMessage(message), signature });
      } catch (error) {
        return isSilence(error) ? null : false;
      }
    },
  };
}

function isSilence(error: unknown): boolean {
  const isUnanswered = (cause: unknown) =>
    cause instanceof HttpRequestError || cause instanceof TimeoutError || cause instanceof LimitExceededRpcError;
  return error instanceof BaseError && error.walk(isUnanswered) !== null;
}

/**
 * Whether an address has code, cached so that wrong signatures for a common wallet cost almost nothing. A provider that
 * failed to answer this cheapest call is paused for the same time.
 */
function cachedCodeLookup(client: PublicClient): (address: Hex) => Promise<boolean> {
  const codes = cached<boolean>({ ttlMs: CODE_TTL_MS, max: MAX_CACHED_CODES });
  let down: { error: unknown; untilMs: number } | undefined;

  return async (address) => {
    if (down && down.untilMs > performance.now()) throw down.error;
    return codes.get(address, async () => {
      try {
        const code = await client.getCode({ address });
        return code !== undefined && code !== '0x';
      } catch (error) {
        down = { error, untilMs: performance.now() + CODE_TTL_MS };
        throw error;
      }
    });
  };
}

/**
 * Resolves to true once enough providers confirmed, and to false once too few still can, without waiting for a slow
 * provider. Throws `TemporaryError` if providers did not answer in time: silence is not an answer.
 */
function hasQuorum(answers: Promise<boolean | null>[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const silent = () => reject(new TemporaryError('too few providers answered whether the contract wallet signed'));
    const deadline = setTimeout(silent, DEADLINE_MS);
    const settle = (end: () => void) => {
      clearTimeout(deadline);
      end();
    };
    const count = { yes: 0, no: 0, silent: 0 };
    for (const answer of answers) {
      void answer.then((agrees) => {
        count[agrees === null ? 'silent' : agrees ? 'yes' : 'no'] += 1;
        if (count.yes >= MIN_AGREEING_PROVIDERS) settle(() => resolve(true));
        else if (answers.length - count.no < MIN_AGREEING_PROVIDERS) settle(() => resolve(false));
        else if (count.yes + count.no + count.silent === answers.length) settle(silent);
      });
    }
  });
}
