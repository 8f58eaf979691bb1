import { useSyncExternalStore } from 'react';
import { WalletRefusedError } from './wallet-refusal.ts';

/** The transaction that left the merchant's wallet for a refund or payout, and is not recorded yet. */
export interface SentTransfer {
  hash: string;
  to: string;
  amount: string;
}

// One for the page, like the storage of the browser that it adds to.
const sending = new Set<string>();
/** What the browser would not store. */
const unstored = new Map<string, string>();
const listeners = new Set<() => void>();

/**
 * What a wallet of this browser sent for a refund or payout. It is kept outside of the dialog, because one that is forgotten
 * would be sent twice.
 */
export function useSent(payment: string): { isSending: boolean; sent: SentTransfer | null; isHandedOver: boolean } {
  const isSending = useSyncExternalStore(listen, () => sending.has(payment));
  const text = useSyncExternalStore(
    listen,
    () => unstored.get(nameOf(payment)) ?? localStorage.getItem(nameOf(payment)),
  );
  const isHandedOver = useSyncExternalStore(listen, () => localStorage.getItem(handedNameOf(payment)) !== null);
  const sent = read(text);
  return { isSending, sent, isHandedOver: isHandedOver && !isSending && !sent };
}

/** Those of them that no wallet of this browser has, had or sent. */
export function useUnsent(refunds: readonly string[]): readonly string[] {
  const text = useSyncExternalStore(listen, () => refunds.filter(isUnsent).join(' '));
  return text.split(' ');
}

/** The refunds or payouts whose transaction this browser keeps: their recording has not succeeded yet. */
export function useKept(kind: 'rf' | 'po'): readonly string[] {
  const kept = new RegExp(`^sent-refund (${kind}_\\w+)$`);
  const text = useSyncExternalStore(listen, () =>
    [...new Set([...Object.keys(localStorage), ...unstored.keys()])]
      .flatMap((name) => kept.exec(name)?.[1] ?? [])
      .join(' '),
  );
  return text === '' ? [] : text.split(' ');
}

/** The transactions of those of them that a wallet of this browser sent: an id and its hash each. */
export function useSentHashes(ids: readonly string[]): (readonly [id: string, hash: string])[] {
  const text = useSyncExternalStore(listen, () => JSON.stringify(ids.flatMap(sentHash)));
  return JSON.parse(text) as [string, string][];
}

function sentHash(id: string): (readonly [id: string, hash: string])[] {
  const sent = read(unstored.get(nameOf(id)) ?? localStorage.getItem(nameOf(id)));
  return sent ? [[id, sent.hash]] : [];
}

export function isUnsent(id: string): boolean {
  const names = [nameOf(id), handedNameOf(id)];
  return !sending.has(id) && names.every((name) => !unstored.has(name) && localStorage.getItem(name) === null);
}

/** A wallet has it and has not said what became of it. Of several, it has only those at `places`; null: all. */
export class UnansweredError extends WalletRefusedError {
  readonly places: readonly number[] | null;

  constructor(places: readonly number[] | null = null, cause?: unknown) {
    super('Your wallet hasn’t named the transaction yet. Look there before you send anything again.', cause);
    this.places = places;
  }
}

/**
 * Runs `send` and keeps what it sent, even if the dialog is gone by then. Before it asks, the browser keeps that a wallet
 * is asked: a page that ends before the answer must not offer it as if it had not been.
 */
export async function sendOnce(payment: string, send: () => Promise<SentTransfer | null>): Promise<void> {
  if (sending.has(payment)) return;
  sending.add(payment);
  keep(handedNameOf(payment), 'asked');
  notifyListeners();
  try {
    const sent = await send();
    if (sent) keep(nameOf(payment), JSON.stringify(sent));
    forget(handedNameOf(payment));
  } catch (error) {
    if (!(error instanceof UnansweredError)) forget(handedNameOf(payment));
    throw error;
  } finally {
    sending.delete(payment);
    notifyListeners();
  }
}

export interface Sendable {
  id: string;
  to: string;
  amount: string;
}

/** Says that a wallet sent one of several, by its place among them. */
export type Sent = (place: number, hash: string) => void;

/**
 * The same for several that a wallet is asked for together. `send` says which of them it has sent. It is not called if a
 * wallet has one of them by now: by another tab, or by a view that was left before it had an answer.
 */
export async function sendTogether(refunds: readonly Sendable[], send: (sent: Sent) => Promise<void>): Promise<void> {
  if (!refunds.every(({ id }) => isUnsent(id))) throw new UnansweredError();
  const answers = new Map<number, { resolve: (sent: SentTransfer | null) => void; reject: (error: unknown) => void }>();
  const kept = refunds.map(({ id }, place) =>
    sendOnce(id, () => new Promise((resolve, reject) => answers.set(place, { resolve, reject }))),
  );
  const sending = send((place, hash) => {
    const { to = '', amount = '' } = refunds[place] ?? {};
    answers.get(place)?.resolve({ hash, to, amount });
  });
  // One that was sent stays so: a promise keeps its first answer.
  sending.catch((error) => {
    const only = error instanceof UnansweredError ? error.places : null;
    for (const [place, { resolve, reject }] of answers)
      if (only?.includes(place) ?? true) reject(error);
      else resolve(null);
  });
  await Promise.allSettled(kept);
  await sending;
}

/** Storage may be full. Until the page is left, what was sent is known without it. */
function keep(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
    unstored.delete(name);
  } catch {
    unstored.set(name, text);
  }
}

function forget(name: string): void {
  unstored.delete(name);
  localStorage.removeItem(name);
}

export function forgetSent(payment: string): void {
  forget(nameOf(payment));
  forget(handedNameOf(payment));
  notifyListeners();
}

function handedNameOf(payment: string): string {
  return `handed-over-refund ${payment}`;
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

function read(text: string | null): SentTransfer | null {
  try {
    const { hash, to, amount } = JSON.parse(text ?? '{}') as Partial<SentTransfer>;
    return typeof hash === 'string' && typeof to === 'string' && typeof amount === 'string'
      ? { hash, to, amount }
      : null;
  } catch {
    return null;
  }
}
