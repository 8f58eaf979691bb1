const KEY = 'browser-name';
const made = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');

/** What this browser is called where several share something. Without storage, each page has a name of its own. */
export function browserName(): string {
  try {
    if (localStorage.getItem(KEY) === null) localStorage.setItem(KEY, made);
  } catch {
    return made;
  }
  return localStorage.getItem(KEY) ?? made;
}
