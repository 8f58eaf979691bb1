/** The document with the text between two markers replaced. Throws if a marker is missing. */
export function replaceBetween(document: string, [begin, end]: readonly [string, string], text: string): string {
  const from = document.indexOf(begin);
  if (from === -1) throw new Error(`the document does not contain "${begin}"`);
  const to = document.indexOf(end, from);
  if (to === -1) throw new Error(`the document does not contain "${end}" after "${begin}"`);
  return `${document.slice(0, from)}${begin}\n${text}\n${document.slice(to)}`;
}
