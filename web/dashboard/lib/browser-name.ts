const KEY = 'browser-name';
const made = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');

/**
 * What this browser is called where several share something. Its tabs know from its storage what each of them has. Without
 * storage, each page has a name of its own.
 */
export function browserName(): string {
  try {
    if (localStorage.getItem(KEY) === null) localStorage.setItem(KEY, made);
  } catch {
    return made;
  }
  return localStorage.getItem(KEY) ?? made;
}
