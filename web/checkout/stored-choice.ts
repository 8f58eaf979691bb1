/** Stores a visitor's choice in this browser. Does nothing if storage is forbidden, as in some frames. */
export function storeChoice(name: 'coin' | 'qr', value: string): void {
  try {
    localStorage.setItem(`quittance:${name}`, value);
  } catch {
    // The choice is only a convenience.
  }
}

export function storedChoice(name: 'coin' | 'qr'): string | null {
  try {
    return localStorage.getItem(`quittance:${name}`);
  } catch {
    return null;
  }
}
