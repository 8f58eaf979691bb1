import { networkName } from '../../networks/networks.ts';
import type { PublicPayment } from '../page-state.ts';
import type { EthereumProvider } from '../../wallets/announced.ts';
import { connectEthereum, decimal, decimalsOf, type Guide, switchNetwork } from './ethereum.ts';
import { WalletError } from './problem.ts';
import { problemOf } from './problem-of.ts';
import { balanceCall, ethereumTransfer, type EthereumTransfer } from '../../wallets/transfer.ts';

type Report = (step: 'connecting' | 'network' | 'checking' | 'signing' | 'sending') => void;

export interface SigningGuide extends Pick<Guide, 'check'> {
  report: Report;
}

/** What the wallet signs (EIP-712), built by the service. */
interface TypedData {
  domain: { chainId: number; verifyingContract: string };
  primaryType: string;
  message: { from: string; to: string; value: string; validBefore: string };
}

export type AuthorizationState = 'pending' | 'open' | 'ended' | 'ready';

/** Another payment for the checkout may move money. */
const IN_PROGRESS = 409;
const MAX_TRIES = 4;
const TRY_AGAIN_MS = 3_000;

/**
 * Pays by one signature: the service sends the transfer and another account pays the network fee (EIP-3009). Returns the
 * time until which the signature may move money although the checkout's state does not say so; 0 if it does.
 */
export async function payBySignature(
  provider: EthereumProvider,
  sessionId: string,
  payment: PublicPayment,
  { report, check }: SigningGuide,
): Promise<number> {
  const transfer = ethereumTransfer(payment);
  if (!transfer?.token) throw new WalletError('wallet_failed');
  const network = networkName(payment.network);
  const from = await connectEthereum(provider);
  let asked: { state: AuthorizationState; challenge: unknown; typed_data: TypedData };
  try {
    // Wallets sign typed data only for their current network.
    await switchNetwork(provider, transfer, network, report);
    report('checking');
    await checkBalance(provider, from, transfer, payment);
    asked = await ask(sessionId, `?payer=${from}`);
  } catch (error) {
    throw problemOf(error, { network });
  }
  // One from another tab.
  if (asked.state === 'pending') return 0;
  const { challenge, typed_data: typed } = asked;
  if (!typed || !isWhatIsShown(typed, from, transfer, payment)) throw new WalletError('gasless_refused');
  await check();
  report('signing');
  const signature = await sign(provider, from, typed);
  report('sending');
  const isTaken = await send(sessionId, { challenge, message: typed.message, signature });
  return isTaken ? 0 : Number(typed.message.validBefore) * 1_000;
}

/** The checkout's state: `open` again once a signature cannot move money any more. */
export async function authorizationState(sessionId: string): Promise<AuthorizationState> {
  return (await ask<{ state: AuthorizationState }>(sessionId, '')).state;
}

async function ask<T>(sessionId: string, query: string): Promise<T> {
  const answer = await fetch(`/checkout/${sessionId}/authorization${query}`, {
    headers: { accept: 'application/json' },
  });
  if (!answer.ok) throw new WalletError(answer.status === IN_PROGRESS ? 'error_state' : 'gasless_refused');
  return (await answer.json()) as T;
}

async function checkBalance(
  provider: EthereumProvider,
  from: string,
  { token, amount }: EthereumTransfer,
  payment: PublicPayment,
): Promise<void> {
  const call = { to: token, data: balanceCall(from) };
  const balance = BigInt((await provider.request({ method: 'eth_call', params: [call, 'latest'] })) as string);
  if (balance >= amount) return;
  const decimals = decimalsOf(payment.amount);
  throw new WalletError('wallet_low_balance', {
    asset: payment.asset,
    balance: decimal(balance, decimals),
    amount: decimal(amount, decimals),
  });
}

/** The wallet only ever gets what the page shows. */
function isWhatIsShown(
  { domain, primaryType, message }: TypedData,
  from: string,
  { chainId, token, amount }: EthereumTransfer,
  { address }: PublicPayment,
): boolean {
  const isSame = (one: string | null, other: string) => one?.toLowerCase() === other.toLowerCase();
  return (
    primaryType === 'TransferWithAuthorization' &&
    domain.chainId === chainId &&
    isSame(token, domain.verifyingContract) &&
    isSame(address, message.to) &&
    isSame(from, message.from) &&
    BigInt(message.value) === amount
  );
}

async function sign(provider: EthereumProvider, from: string, typed: TypedData): Promise<string> {
  try {
    return String(await provider.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(typed)] }));
  } catch (error) {
    throw problemOf(error);
  }
}

/**
 * The same signature is accepted once, so after an answer that was lost, or cut off, it is sent again. Returns whether the
 * service has said that it took it.
 */
async function send(sessionId: string, body: unknown): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(`/checkout/${sessionId}/authorization`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    })
      .then(async (response) => ({
        status: response.status,
        isTaken: response.ok && ((await response.json()) as { state: string }).state !== 'void',
      }))
      .catch(() => undefined);
    if (answer?.isTaken) return true;
    if (answer?.status === IN_PROGRESS) return false;
    // Rejected, so nothing was stored and nothing is sent.
    if (answer && answer.status < 500 && answer.status !== 429) throw new WalletError('gasless_refused');
    if (tries === MAX_TRIES) return false;
    await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
  }
}
