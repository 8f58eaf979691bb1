export interface PaginationVector {
  name: string;
  path: string;
  query: Record<string, string>;
  /** In the order in which they are asked for: the query that the client sends, and the answer. */
  pages: { query: Record<string, string>; answer: { data: { id: string }[]; pagination: object } }[];
  /** The ids that the client hands out. */
  expect: string[];
}

/** Lists, page by page, as a client reads them to their end. */
export function paginationVectors(): PaginationVector[] {
  return [
    list('one page', {}, [[['pay_1', 'pay_2'], null]]),
    list('an empty list', {}, [[[], null]]),
    list('three pages, the filter on each', { status: 'paid', limit: '2' }, [
      [['pay_1', 'pay_2'], 'cur_1'],
      [['pay_3', 'pay_4'], 'cur_2'],
      [['pay_5'], null],
    ]),
    list('a cursor with letters that a URL must escape', {}, [
      [['pay_1'], 'cur_a+b/c=&d?é '],
      [['pay_2'], null],
    ]),
    list('an empty page in the middle', {}, [
      [['pay_1'], 'cur_1'],
      [[], 'cur_2'],
      [['pay_2'], null],
    ]),
    list('from a cursor that the caller kept', { cursor: 'cur_7' }, [[['pay_8'], null]]),
  ];
}

function list(
  name: string,
  query: Record<string, string>,
  pages: [ids: string[], cursor: string | null][],
): PaginationVector {
  return {
    name,
    path: '/v1/payments',
    query,
    pages: pages.map(([ids, cursor], at) => {
      const before = pages[at - 1]?.[1];
      return {
        query: { ...query, ...(before && { cursor: before }) },
        answer: { data: ids.map((id) => ({ id })), pagination: { cursor, has_more: cursor !== null } },
      };
    }),
    expect: pages.flatMap(([ids]) => ids),
  };
}
