/** The fields of a line of a CSV, with its number from 1; or what is wrong with its quotes. */
export type CsvLine = { line: number; fields: string[] } | { line: number; problem: string };

const SEPARATORS = ['\t', ';', ','];

/**
 * The lines of a CSV that are not empty. A spreadsheet writes commas, semicolons or tabs, by its language: what its first
 * line has. No field goes over several lines, so that the number of a line is what an editor shows.
 */
export function readCsv(text: string): CsvLine[] {
  const lines = text.split(/\r\n|\n|\r/).map((content, at) => ({ line: at + 1, content }));
  const filled = lines.filter(({ content }) => content.trim() !== '');
  const first = filled[0]?.content ?? '';
  const separator = SEPARATORS.find((one) => first.includes(one)) ?? ',';
  return filled.map(({ line, content }) => {
    const fields = fieldsOf(content, separator);
    return fields ? { line, fields } : { line, problem: 'A quote is not closed, or stands inside a field.' };
  });
}

function fieldsOf(content: string, separator: string): string[] | undefined {
  const space = `[^\\S${separator}]*`;
  // What has no quotes begins with no space: spaces are read in one way only.
  const plain = `([^"\\s${separator}][^"${separator}]*)?`;
  const field = new RegExp(`${space}(?:"((?:[^"]|"")*)"${space}|${plain})(${separator}|$)`, 'y');
  const fields: string[] = [];
  for (;;) {
    const found = field.exec(content);
    if (!found) return undefined;
    const [, quoted, plain, end] = found;
    fields.push((quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"')).trim());
    if (end === '') return fields;
  }
}
