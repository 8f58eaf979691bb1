const KEY = 'quittance:just-paid';

/** Stores through the reload that this window saw the payment arrive. */
export function noteJustPaid(sessionId: string): void {
  try {
    sessionStorage.setItem(KEY, sessionId);
  } catch {
    // Then there is no redirect; the link stays.
  }
}

/** Whether this window saw it, said once. */
export function justPaid(sessionId: string): boolean {
  try {
    const isSo = sessionStorage.getItem(KEY) === sessionId;
    sessionStorage.removeItem(KEY);
    return isSo;
  } catch {
    return false;
  }
}
