export interface CacheRules<T> {
  /** For how long an answer is fresh; without it, until it is dropped. With 0 only concurrent callers share one. */
  ttlMs?: number | ((answer: T) => number);
  /** An answer that is not fresh is served at once, and replaced in the background. */
  isServedStale?: boolean;
  /** If the next answer fails, the last one is served, and the next caller tries again. */
  isServedOnError?: boolean;
  /** Answers, of which the oldest is dropped first. */
  max: number;
  /** The clock by which answers age: by default the process's monotonic one. */
  nowMs?: () => number;
}

/** Answers by key. Concurrent callers of a key share one search, and a failed one is not kept. */
export interface Cached<T> {
  /**
   * The known answer, or what `find` returns, which is given the last answer. `nowMs` is the caller's own instant.
   */
  get(key: string, find: (last: T | undefined) => Promise<T>, nowMs?: number): Promise<T>;
  /** The last answer, fresh or not. */
  last(key: string): T | undefined;
  drop(key: string): void;
  clear(): void;
}

interface Entry<T> {
  known?: { answer: T; untilMs: number };
  search?: Promise<T> | undefined;
}

export function cached<T>(rules: CacheRules<T>): Cached<T> {
  const { ttlMs = Number.POSITIVE_INFINITY, isServedStale = false, isServedOnError = false } = rules;
  const clock = rules.nowMs ?? (() => performance.now());
  const entries = new BoundedMap<string, Entry<T>>(rules.max);
  const ttlOf = (answer: T) => (typeof ttlMs === 'function' ? ttlMs(answer) : ttlMs);

  async function search(key: string, entry: Entry<T>, find: () => Promise<T>, startMs: number | undefined) {
    try {
      const answer = await find();
      entry.known = { answer, untilMs: (startMs ?? clock()) + ttlOf(answer) };
      return answer;
    } catch (error) {
      if (!entry.known && entries.get(key) === entry) entries.delete(key);
      if (!entry.known || !isServedOnError) throw error;
      return entry.known.answer;
    } finally {
      entry.search = undefined;
    }
  }

  return {
    async get(key, find, nowMs) {
      let entry = entries.get(key);
      const known = entry?.known;
      if (known && (nowMs ?? clock()) < known.untilMs) return known.answer;
      if (!entry) entries.set(key, (entry = {}));
      entry.search ??= search(key, entry, async () => find(known?.answer), nowMs);
      if (!known || !isServedStale) return entry.search;
      // Without a new answer the last one stays, and the next caller tries again.
      entry.search.catch(() => {});
      return known.answer;
    },
    last: (key) => entries.get(key)?.known?.answer,
    drop: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}

/** Makes a value once for each object, and keeps it as long as the object lives. */
export function oncePer<K extends WeakKey, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const value = made.has(key) ? (made.get(key) as V) : make(key);
    made.set(key, value);
    return value;
  };
}

/** Drops the oldest entry for one that it has no room for. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#max && !this.has(key)) {
      const [oldest] = this.keys();
      this.delete(oldest as K);
    }
    return super.set(key, value);
  }
}
