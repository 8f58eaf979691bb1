import { useSyncExternalStore } from 'react';

/** The transaction that left the merchant's wallet for a payment whose refund is not recorded yet. */
export interface SentRefund {
  hash: string;
  to: string;
  amount: string;
}

const sending = new Set<string>();
/** Refunds that the browser would not store. */
const unstored = new Map<string, string>();
const listeners = new Set<() => void>();

/**
 * The refund of a payment that this browser sent. It is kept outside of the dialog, because one that is forgotten would be
 * sent twice.
 */
export function useSentRefund(payment: string): { isSending: boolean; sent: SentRefund | null } {
  const isSending = useSyncExternalStore(listen, () => sending.has(payment));
  const text = useSyncExternalStore(
    listen,
    () => unstored.get(nameOf(payment)) ?? localStorage.getItem(nameOf(payment)),
  );
  return { isSending, sent: read(text) };
}

/** Runs `send` and keeps what it sent, even if the dialog is gone by then. */
export async function sendOnce(payment: string, send: () => Promise<SentRefund | null>): Promise<void> {
  if (sending.has(payment)) return;
  sending.add(payment);
  notifyListeners();
  try {
    const sent = await send();
    if (sent) keep(nameOf(payment), JSON.stringify(sent));
  } finally {
    sending.delete(payment);
    notifyListeners();
  }
}

/** Storage may be full. Until the page is left, the refund is known without it. */
function keep(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
    unstored.delete(name);
  } catch {
    unstored.set(name, text);
  }
}

export function forgetSent(payment: string): void {
  unstored.delete(nameOf(payment));
  localStorage.removeItem(nameOf(payment));
  notifyListeners();
}

function nameOf(payment: string): string {
  return `sent-refund ${payment}`;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab sends and records too.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

function read(text: string | null): SentRefund | null {
  try {
    const { hash, to, amount } = JSON.parse(text ?? '{}') as Partial<SentRefund>;
    return typeof hash === 'string' && typeof to === 'string' && typeof amount === 'string'
      ? { hash, to, amount }
      : null;
  } catch {
    return null;
  }
}
