/**
 * Why a text is not an address of the web: not written as one, of another scheme, too long, with a user name or password,
 * or not encrypted where it has to be.
 */
export type AddressProblem = 'form' | 'scheme' | 'length' | 'credentials' | 'insecure';

/** What differs between the uses of an address. */
export interface AddressUse {
  /** Where it may lead without TLS: `http://`, or `ws://` for a socket. */
  insecure: 'nowhere' | 'this machine' | 'anywhere';
  /** `wss://` instead of `https://`. */
  isSocket?: boolean;
  /** Operators may give a provider's password in its address. */
  mayHaveCredentials?: boolean;
  /** It becomes part of a page or a header, where these characters have a meaning: `"'<>;,*` and the backtick. */
  isPlain?: boolean;
  /** Port 0 stands for the one that the server is given. */
  mayHavePortZero?: boolean;
}

const MAX_LENGTH = 2_048;
/** Letters of names and literal addresses; URL() accepts more, such as `*` and `;`. */
const HOST = /^([a-z0-9_-]+\.)*[a-z0-9_-]+\.?$|^\[[0-9a-f:.]+\]$/;

/**
 * The one reader of addresses of the web. Refuses what URL() would silently drop, encode or add: spaces, control and
 * invisible characters, backslashes, and missing slashes. The host of the result is in its normal form: lower case, in
 * punycode. Each use says in its own words what it expects.
 */
export function readWebAddress(text: string, use: AddressUse): URL | AddressProblem {
  const { insecure, isSocket = false, mayHaveCredentials = false, isPlain = false, mayHavePortZero = false } = use;
  if (text.length > MAX_LENGTH) return 'length';
  const [, scheme = '', authority = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)/i.exec(text) ?? [];
  if (authority === '' || /[\s\\\p{C}]/u.test(text) || !URL.canParse(text)) return 'form';
  const [secure, plain] = isSocket ? ['wss', 'ws'] : ['https', 'http'];
  if (![secure, plain].includes(scheme.toLowerCase())) return 'scheme';
  const url = new URL(text);
  if (!HOST.test(url.hostname) || (url.port === '0' && !mayHavePortZero)) return 'form';
  if (isPlain && /["'<>`;,*]/.test(text)) return 'form';
  if (authority.includes('@') && !mayHaveCredentials) return 'credentials';
  const isInsecure = scheme.toLowerCase() === plain;
  if (isInsecure && !(insecure === 'anywhere' || (insecure === 'this machine' && isThisMachine(hostOf(url)))))
    return 'insecure';
  return url;
}

/** The host of a URL as a plain name or address: no brackets, no trailing dot, lower case. */
export function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();
}

/** Whether a host name or address means this machine. */
export function isThisMachine(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return (
    bare === 'localhost' ||
    bare.endsWith('.localhost') ||
    bare === '::1' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare)
  );
}
