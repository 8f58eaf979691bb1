/**
 * Writes rows of several accounts in one statement. If the database refuses their values, each half is tried alone, down
 * to the single row: so a bad row costs no other one anything, and few statements. What fails for any other reason
 * throws, so `write` may get the same rows again.
 */
export async function writeTogether<Row>(
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<unknown>,
  refused: (row: Row, error: unknown) => void,
): Promise<void> {
  try {
    await write(rows);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const [only] = rows;
    if (only && rows.length === 1) return refused(only, error);
    const half = Math.ceil(rows.length / 2);
    await writeTogether(rows.slice(0, half), write, refused);
    await writeTogether(rows.slice(half), write, refused);
  }
}

/** Whether the database refused the values of a statement: data that it cannot represent (22), or a constraint (23). */
export function isRefused(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^2[23][0-9A-Z]{3}$/.test(code);
}
