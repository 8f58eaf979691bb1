import type { PublicSession } from '../page-state.ts';

/** The service refused; the message says what would be right. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: string;
  readonly param: string | null;
  constructor(error: { code: string; message: string; param: string | null }) {
    super(error.message);
    this.code = error.code;
    this.param = error.param;
  }
}

export interface Choice {
  pay_asset: string;
  pay_network: string;
  refund_address?: string;
  sender?: string;
  sender_signature?: string;
}

export const paySession = (id: string, choice: Choice) => post<PublicSession>(`/v1/public/checkout/sessions/${id}/pay`, choice);
export const actOnTestSession = (id: string, action: string) => post<PublicSession>(`/v1/public/checkout/sessions/${id}/test`, { action });
export const noticeTransaction = (id: string, txHash: string, signature?: string) =>
  post<unknown>(`/v1/public/checkout/sessions/${id}/transactions`, { tx_hash: txHash, ...(signature !== undefined && { signature }) });

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const answer = (await response.json()) as { data: T; error?: { code: string; message: string; param: string | null } };
  if (answer.error) throw new Refused(answer.error);
  return answer.data;
}
