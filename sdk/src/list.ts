import type { Answered, Requester, RequestOptions } from './request.ts';

export interface Page<T> {
  data: T[];
  pagination: { cursor: string | null; has_more: boolean };
}

export interface ListQuery {
  /** 1 to 100. Default: 25, for payments 20. */
  limit?: number;
  /** The cursor of the previous page, or the ID of its last object. */
  cursor?: string;
}

/**
 * A list that you can await for one page or iterate to its end.
 *
 * @example
 * for await (const payment of quittance.payments.list({ status: 'paid' })) console.log(payment.id);
 * const firstPage = await quittance.payments.list({ limit: 10 });
 */
export class List<T> implements PromiseLike<Answered<Page<T>>>, AsyncIterable<T> {
  readonly #fetchPage: (cursor: string | undefined) => Promise<Answered<Page<T>>>;
  readonly #cursor: string | undefined;

  constructor(requester: Requester, path: string, query: ListQuery = {}, options?: RequestOptions) {
    this.#cursor = query.cursor;
    this.#fetchPage = (cursor) =>
      requester.whole<Page<T>>({
        method: 'GET',
        path,
        query: { ...query, cursor },
        ...(options && { options }),
      });
  }

  // biome-ignore lint/suspicious/noThenProperty: a list can be awaited for its first page.
  then<A = Answered<Page<T>>, B = never>(
    onFulfilled?: ((page: Answered<Page<T>>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#fetchPage(this.#cursor).then(onFulfilled, onRejected);
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<Answered<Page<T>>> {
    let cursor = this.#cursor;
    for (;;) {
      const page = await this.#fetchPage(cursor);
      yield page;
      if (!page.pagination.has_more || page.pagination.cursor === null) return;
      cursor = page.pagination.cursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** The first `limit` objects. The limit bounds the memory that a long list needs. */
  async toArray({ limit }: { limit: number }): Promise<T[]> {
    const items: T[] = [];
    if (limit <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }
}
