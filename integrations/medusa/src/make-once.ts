/** What one key makes ends sooner or later, and is followed this often at most. */
const MAX_FOLLOWED = 20;

/**
 * Makes one thing for a key, however often it is asked for it: a repetition finds the first one. Once that is over,
 * the same key makes the next one.
 */
export async function makeOnce<T extends { id: string }>(
  key: string,
  make: (options: { idempotencyKey: string }) => PromiseLike<T>,
  isOver: (made: T) => Promise<boolean>,
): Promise<T> {
  let made = await make({ idempotencyKey: key });
  for (let followed = 0; followed < MAX_FOLLOWED && (await isOver(made)); followed += 1)
    made = await make({ idempotencyKey: `${key}-after-${made.id}` });
  return made;
}
