import { ConfigError } from '../platform/errors.ts';
import { type AddressUse, readWebAddress } from '../platform/web-address.ts';
import { SETTINGS } from './settings.ts';

/** The settings as texts, with their parsers. Collects every mistake, so that all are reported at once. */
export class Environment {
  readonly #env: Record<string, string | undefined>;
  readonly #defaults = new Map(SETTINGS.map((setting) => [setting.name, setting.default]));
  readonly #mistakes: string[] = [];

  constructor(env: Record<string, string | undefined>) {
    this.#env = env;
  }

  /** The names of all variables, known or not. */
  names(): string[] {
    return Object.keys(this.#env);
  }

  isKnown(name: string): boolean {
    return this.#defaults.has(name);
  }

  mistake(text: string): void {
    this.#mistakes.push(text);
  }

  refuseMistakes(): void {
    if (this.#mistakes.length > 0)
      throw new ConfigError(`Invalid settings:\n${this.#mistakes.map((line) => `  - ${line}`).join('\n')}`);
  }

  text(name: string): string {
    return this.#env[name]?.trim() || (this.#defaults.get(name) ?? '');
  }

  optional(name: string): string | null {
    return this.text(name) || null;
  }

  list(name: string): string[] {
    return this.text(name)
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  }

  integer(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = Number(this.text(name));
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    if (!/^[0-9]+$/.test(this.text(name)) || value < min || value > max)
      this.mistake(`${name} must be a whole number ${range}, not "${this.text(name)}"`);
    return value;
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    const value = this.text(name) as T;
    if (!values.includes(value)) this.mistake(`${name} must be one of ${values.join(', ')}, not "${value}"`);
    return value;
  }

  /** A list of these values. `instead` is the value that stands for no list. */
  listOf<T extends string>(name: string, values: readonly T[], instead: string): T[] {
    return this.list(name).flatMap((part) => {
      const value = values.find((known) => known === part);
      if (value === undefined) this.mistake(`${name} accepts ${values.join(', ')} or ${instead}, not "${part}"`);
      return value ?? [];
    });
  }

  /** Without a trailing slash. */
  url(name: string, use: Pick<AddressUse, 'mayHavePortZero'> = {}): string {
    const value = this.text(name);
    const read = readWebAddress(value, { insecure: 'anywhere', ...use });
    if (read === 'credentials') this.mistake(`${name} must not contain a user name or password`);
    else if (typeof read === 'string') this.mistake(`${name} must be a URL like https://…, not "${value}"`);
    return value.replace(/\/+$/, '');
  }

  /** A key that is sent in a header. An error does not show it. */
  key(name: string): string | null {
    const value = this.optional(name);
    if (value !== null && !/^[\x21-\x7e]{1,4096}$/.test(value))
      this.mistake(`${name} must be a key without spaces, of letters and signs of ASCII`);
    return value;
  }

  /** These contain passwords and keys, so an error does not show the value. */
  secretUrl(name: string, schemes: string[]): string | null {
    const value = this.optional(name);
    if (value && /^[a-z]+:\/\/[^/?]*,/.test(value)) {
      this.mistake(`${name} must name one host: the driver does not look for the primary among several`);
      return value;
    }
    if (value && !(URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))))
      this.mistake(`${name} must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
    return value;
  }
}

export function isWebAddress(text: string): boolean {
  return typeof readWebAddress(text, { insecure: 'anywhere' }) !== 'string';
}
