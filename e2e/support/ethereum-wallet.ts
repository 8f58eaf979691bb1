import type { BrowserContext } from 'playwright-core';
import { type Address, type Hex, numberToHex } from 'viem';
import type { TestChain } from '@quittance/server/testing/anvil';

type Reaction = 'approve' | 'decline' | 'busy' | 'break';

/** A test wallet for browsers: announces itself like real ones, shows no prompts, and signs on the local chain. */
export interface EthereumWallet {
  account: Address;
  /** The page's requests to it, in order. */
  asked: { method: string; params: readonly unknown[] }[];
  /** What it does with the next prompt. */
  answer(how: Reaction): void;
  /** What it does with the next prompt of this method. */
  answerTo(method: string, how: Reaction): void;
}

export interface EthereumWalletOptions {
  chain: TestChain;
  /** One of the chain's accounts; by default the second. */
  account?: Address;
  name?: string;
  /** Connects only once this is resolved. */
  connects?: Promise<void>;
  /** Accepts calls (EIP-5792) instead of transactions. */
  batches?: boolean;
  /** How many calls it takes at once. */
  takes?: number;
  /** The contract that carries several calls out as one transaction, with money of its own. */
  batcher?: Address;
  /** Lets a paymaster pay for its calls (ERC-7677). */
  isSponsored?: boolean;
  /** Leaves the page waiting for what became of its calls. */
  neverAnswers?: boolean;
  /** Starts on another network, and does not know the shop's. */
  isElsewhere?: boolean;
  /** Answers that it has switched the network, and stays on its own. */
  ignoresSwitch?: boolean;
}

type Answer = { result: unknown } | { error: { code: number; message: string } };

const PROMPTS = new Set([
  'eth_requestAccounts',
  'eth_sendTransaction',
  'wallet_sendCalls',
  'personal_sign',
  'eth_signTypedData_v4',
  'wallet_switchEthereumChain',
  'wallet_addEthereumChain',
]);
let wallets = 0;

/** Adds a wallet to the browser; every page that is opened from now on finds it by EIP-6963. */
export async function addEthereumWallet(
  context: BrowserContext,
  options: EthereumWalletOptions,
): Promise<EthereumWallet> {
  const { chain, name = 'Fern Wallet', batches, isElsewhere, ignoresSwitch, isSponsored } = options;
  const account = options.account ?? (chain.accounts[1]?.address as Address);
  const known = new Set(isElsewhere ? [1] : [1, chain.chainId]);
  const sent = new Map<string, Hex>();
  let current = isElsewhere ? 1 : chain.chainId;
  let next: Reaction = 'approve';
  const reactions = new Map<string, Reaction>();
  const asked: EthereumWallet['asked'] = [];

  async function request(method: string, params: readonly unknown[]): Promise<Answer> {
    asked.push({ method, params });
    if (PROMPTS.has(method)) {
      const how = reactions.get(method) ?? next;
      if (!reactions.delete(method)) next = 'approve';
      if (how === 'decline') return { error: { code: 4001, message: 'User rejected the request.' } };
      if (how === 'busy') return { error: { code: -32002, message: 'Already processing.' } };
      if (how === 'break') return { error: { code: -32603, message: 'Internal error.' } };
    }
    try {
      return await perform(method, params);
    } catch (error) {
      return { error: { code: -32000, message: (error as Error).message } };
    }
  }

  async function perform(method: string, params: readonly unknown[]): Promise<Answer> {
    switch (method) {
      case 'eth_requestAccounts':
        await options.connects;
        return { result: [account] };
      case 'eth_accounts':
        return { result: [account] };
      case 'eth_chainId':
        return { result: numberToHex(current) };
      case 'wallet_switchEthereumChain': {
        const wanted = Number((params[0] as { chainId: Hex }).chainId);
        if (ignoresSwitch) return { result: null };
        if (!known.has(wanted)) return { error: { code: 4902, message: 'Unrecognized chain ID.' } };
        current = wanted;
        return { result: null };
      }
      case 'wallet_addEthereumChain':
        current = Number((params[0] as { chainId: Hex }).chainId);
        known.add(current);
        return { result: null };
      case 'wallet_getCapabilities':
        return batches
          ? {
              result: {
                [numberToHex(current)]: {
                  atomic: { status: 'supported' },
                  ...(isSponsored && { paymasterService: { supported: true } }),
                },
              },
            }
          : { error: { code: -32601, message: 'Method not found.' } };
      case 'wallet_sendCalls': {
        if (options.neverAnswers) return new Promise(() => {});
        const { calls } = params[0] as { calls: { to: Address; data: Hex; value: Hex }[] };
        if (calls.length > (options.takes ?? calls.length))
          return { error: { code: 5740, message: 'Bundle too large.' } };
        const [call] = calls;
        const id = `0x${String(sent.size + 1).padStart(64, '0')}`;
        const hash =
          calls.length > 1 && options.batcher
            ? await chain.batch(
                options.batcher,
                calls.map(({ to, data }) => ({ target: to, data })),
                { from: account },
              )
            : await chain.rpc<Hex>('eth_sendTransaction', [{ from: account, ...call }]);
        sent.set(id, hash);
        return { result: { id } };
      }
      case 'wallet_getCallsStatus': {
        const hash = sent.get(String(params[0]));
        const receipt = hash && (await chain.rpc<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]));
        return {
          result: receipt
            ? { status: 200, receipts: [{ transactionHash: hash, status: receipt.status }] }
            : { status: 100 },
        };
      }
      case 'personal_sign': {
        const signer = chain.accounts.find((one) => one.address === account);
        return { result: await signer?.signMessage({ message: { raw: params[0] as Hex } }) };
      }
      case 'eth_signTypedData_v4': {
        const signer = chain.accounts.find((one) => one.address === account);
        return { result: await signer?.signTypedData(JSON.parse(String(params[1]))) };
      }
      default:
        return { result: await chain.rpc(method, params) };
    }
  }

  const binding = `quittanceEthereum${++wallets}`;
  await context.exposeBinding(binding, (_source, method: string, params: readonly unknown[]) =>
    request(method, params),
  );
  await context.addInitScript(
    ({ binding, name, uuid, icon }) => {
      const ask = (
        window as unknown as Record<
          string,
          (method: string, params: unknown) => Promise<{ result?: unknown; error?: { code: number; message: string } }>
        >
      )[binding];
      const provider = {
        async request({ method, params = [] }: { method: string; params?: unknown }) {
          const answer = await ask?.(method, params);
          if (answer?.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
          return answer?.result;
        },
      };
      const announce = () =>
        dispatchEvent(
          new CustomEvent('eip6963:announceProvider', {
            detail: Object.freeze({ info: { uuid, name, icon, rdns: 'example.fern' }, provider }),
          }),
        );
      addEventListener('eip6963:requestProvider', announce);
      announce();
    },
    { binding, name, uuid: `fe000000-0000-4000-8000-${String(wallets).padStart(12, '0')}`, icon: ICON },
  );

  return {
    account,
    asked,
    answer(how) {
      next = how;
    },
    answerTo(method, how) {
      reactions.set(method, how);
    },
  };
}

export const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect width='24' " +
  "height='24' rx='6' fill='%23136c3a'/%3E%3Cpath d='M12 20V9m0 6c-4 0-6-2-6-6 4 0 6 2 6 6Zm0-3c0-4 " +
  "2-6 6-6 0 4-2 6-6 6Z' stroke='white' stroke-width='1.6' fill='none'/%3E%3C/svg%3E";
