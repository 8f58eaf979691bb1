/** What this browser remembers for the visitor. Where it may not, as in some frames, it forgets. */
export function remember(name: 'coin' | 'qr', value: string): void {
  try {
    localStorage.setItem(`quittance:${name}`, value);
  } catch {
    // Nothing depends on it.
  }
}

export function remembered(name: 'coin' | 'qr'): string | null {
  try {
    return localStorage.getItem(`quittance:${name}`);
  } catch {
    return null;
  }
}
