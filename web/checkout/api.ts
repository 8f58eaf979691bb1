import type { PublicSession, Refusal } from './page-state.ts';

/** The service returned an error. Its message is for developers; the page shows one in the customer's language. */
export class RefusedError extends Error implements Refusal {
  override readonly name = 'RefusedError';
  readonly code: string;
  readonly param: string | null;
  constructor({ code, message, param }: Refusal & { message: string }) {
    super(message);
    this.code = code;
    this.param = param;
  }
}

export interface Choice {
  pay_asset: string;
  pay_network: string;
  refund_address?: string;
  /** A connected wallet. */
  sender?: string;
}

/** The wallet's signature of a claim, and its address. */
export interface SignedClaim {
  signature: string;
  sender: string;
}

export const readSession = (id: string) => call<PublicSession>(`/${id}`);
export const paySession = (id: string, choice: Choice) => call<PublicSession>(`/${id}/pay`, choice);
export const actOnTestSession = (id: string, action: string) => call<PublicSession>(`/${id}/test`, { action });
export const noticeTransaction = (id: string, txHash: string, claim?: SignedClaim) =>
  call<unknown>(`/${id}/transactions`, { tx_hash: txHash, ...claim });
/** The payment as an unsigned Solana transaction for the sender's wallet. */
export const buildTransaction = (id: string, sender: string) =>
  call<{ transaction: string }>(`/${id}/transaction`, { sender });
/** What a coin costs with its conversion, before it is ordered. */
export async function readPrice(id: string, { asset, network }: { asset: string; network: string }) {
  const response = await fetch(`/checkout/${id}/price?asset=${asset}&network=${network}`);
  return ((await response.json()) as { price?: string | null }).price ?? null;
}

async function call<T>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(
    `/v1/public/checkout/sessions${path}`,
    body === undefined
      ? { headers: { accept: 'application/json' } }
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const answer = (await response.json()) as { data: T; error?: Refusal & { message: string } };
  if (answer.error) throw new RefusedError(answer.error);
  return answer.data;
}
