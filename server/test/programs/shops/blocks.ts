import { readBlocks } from '../../support/guides.ts';

/** A block of a guide as it is printed, by its file name or its beginning. */
export async function block(guide: string, name: string): Promise<string> {
  const found = (await readBlocks()).find((one) => one.guide === guide && (one.file || one.text).startsWith(name));
  if (!found) throw new Error(`${guide} has no block ${name}`);
  return found.text;
}
