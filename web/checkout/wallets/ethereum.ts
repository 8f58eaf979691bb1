import type { EthereumProvider } from '../../wallets/announced.ts';
import { networkName } from '../../networks/networks.ts';
import type { PublicSession } from '../page-state.ts';
import { type Call, capabilities, hashesOfCalls, sendCalls } from '../../wallets/calls.ts';
import { CHAINS } from '../../wallets/chains.facts.ts';
import { isOnChain, sendTransaction, shareAccount, signText, switchChain } from '../../wallets/ethereum.ts';
import { WalletError } from './problem.ts';
import { problemOf } from './problem-of.ts';
import { balanceCall, ethereumTransfer, type EthereumTransfer } from '../../wallets/transfer.ts';

type Report = (step: 'connecting' | 'network' | 'checking' | 'confirm') => void;

/** Shows the step of a wallet. `check` throws if the session does not ask for this payment any more. */
export interface Guide {
  report: Report;
  check(): Promise<unknown>;
}

/**
 * Pays with a wallet: checks account, network, balance and fee first, then prompts. Returns the transaction's hash if
 * it is known. `taken` is called before, if the wallet needs time to name it.
 */
export async function payByEthereum(
  provider: EthereumProvider,
  { id: sessionId, payment }: PublicSession,
  { report, check, taken }: Guide & { taken(): void },
): Promise<string | null> {
  const transfer = payment && ethereumTransfer(payment);
  if (!transfer) throw new WalletError('wallet_failed');
  const { chainId } = transfer;
  const network = networkName(payment.network);
  const coin = CHAINS[chainId]?.coin ?? 'ETH';
  const from = await connectEthereum(provider);
  try {
    await switchNetwork(provider, transfer, network, report);
    report('checking');
    await checkFunds(provider, from, transfer, { asset: payment.asset, coin, decimals: decimalsOf(payment.amount) });
  } catch (error) {
    throw problemOf(error, { network, coin });
  }

  await check();
  report('confirm');
  try {
    const call = { to: transfer.to, data: transfer.data, value: transfer.value };
    const calls = await payByCalls(provider, sessionId, { from, chainId, call });
    if (calls) {
      taken();
      const hashes = await hashesOfCalls(provider, calls.id, 1);
      if (hashes === undefined) throw new WalletError('wallet_failed');
      // Without a hash it was sent all the same, so the watcher will see it.
      return hashes?.[0] ?? null;
    }
    // Meanwhile the customer may have switched it, where the same transaction pays other coins.
    if (!(await isOnChain(provider, chainId))) throw new WalletError('wallet_wrong_network', { network });
    return await sendTransaction(provider, { chainId, from, ...call });
  } catch (error) {
    throw problemOf(error, { network, coin, isSending: true });
  }
}

/** The account that the wallet shares. */
export async function connectEthereum(provider: EthereumProvider): Promise<string> {
  try {
    return (await shareAccount(provider)) ?? locked();
  } catch (error) {
    throw problemOf(error);
  }
}

function locked(): never {
  throw new WalletError('wallet_locked');
}

export async function signByEthereum(
  provider: EthereumProvider,
  text: string,
): Promise<{ signature: string; sender: string }> {
  const sender = await connectEthereum(provider);
  try {
    return { signature: await signText(provider, sender, text), sender };
  } catch (error) {
    throw problemOf(error);
  }
}

export async function switchNetwork(
  provider: EthereumProvider,
  { chainId }: EthereumTransfer,
  network: string,
  report: (step: 'network') => void,
): Promise<void> {
  const isThere = await switchChain(provider, chainId, () => report('network'));
  if (!isThere) throw new WalletError('wallet_wrong_network', { network });
}

/** Reports what is missing before the wallet does, and simulates the payment without sending it. */
async function checkFunds(
  provider: EthereumProvider,
  from: string,
  transfer: EthereumTransfer,
  { asset, coin, decimals }: { asset: string; coin: string; decimals: number },
): Promise<void> {
  const read = async (method: string, params: unknown[]) =>
    BigInt((await provider.request({ method, params })) as string);
  const coins = await read('eth_getBalance', [from, 'latest']);
  const balance = transfer.token
    ? await read('eth_call', [{ to: transfer.token, data: balanceCall(from) }, 'latest'])
    : coins;
  if (balance < transfer.amount) {
    throw new WalletError('wallet_low_balance', {
      asset,
      balance: decimal(balance, decimals),
      amount: decimal(transfer.amount, decimals),
    });
  }
  const call = { from, to: transfer.to, data: transfer.data, value: transfer.value };
  const gas = await read('eth_estimateGas', [call]).catch((error) => {
    const problem = problemOf(error, { coin });
    throw problem.key === 'wallet_failed' ? new WalletError('wallet_would_fail') : problem;
  });
  const price = await read('eth_gasPrice', []);
  if (coins < gas * price + BigInt(transfer.value) && !(await sponsorsGas(provider, from, transfer.chainId)))
    throw new WalletError('wallet_low_gas', { coin });
}

/**
 * Wallets that batch and sponsor accept calls instead of a transaction. Null if this one does not. One that has taken them
 * may not name them, and must not be asked for a transaction as well.
 */
async function payByCalls(
  provider: EthereumProvider,
  sessionId: string,
  { from, chainId, call }: { from: string; chainId: number; call: Call },
): Promise<{ id: string } | null> {
  const able = await capabilities(provider, from, chainId);
  if (!able) return null;
  const url = able.paymasterService?.supported ? await paymasterOf(sessionId) : null;
  const id = await sendCalls(provider, {
    from,
    chainId,
    atomicRequired: false,
    calls: [call],
    ...(url && { capabilities: { paymasterService: { url, optional: true } } }),
  });
  return { id };
}

/** The merchant's paymaster (ERC-7677), through the service; null if the merchant has not set one. */
async function paymasterOf(sessionId: string): Promise<string | null> {
  const answer = await fetch(`/checkout/${sessionId}/paymaster`, { method: 'POST' }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as { url: string | null }).url : null;
}

async function sponsorsGas(provider: EthereumProvider, from: string, chainId: number): Promise<boolean> {
  return (await capabilities(provider, from, chainId))?.paymasterService?.supported === true;
}

export function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0;
}

export function decimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction && decimals > 0
    ? `${digits.slice(0, -decimals)}.${fraction}`
    : digits.slice(0, digits.length - decimals);
}
