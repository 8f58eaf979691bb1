import { fail } from '../errors.ts';
import { type IdPrefix, isId } from '../ids.ts';

/**
 * The id in the path of a page, which no shape of the contract describes. A text of another form is not found before
 * anything is asked about it.
 */
export function pathId(prefix: IdPrefix, request: { params: unknown }): string {
  const { id } = request.params as { id?: unknown };
  return typeof id === 'string' && isId(prefix, id) ? id : fail('not_found');
}
