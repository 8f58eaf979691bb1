/** One line of a CSV file (RFC 4180). */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A cell that no spreadsheet takes for a formula: text that begins like one gets a leading apostrophe, which
 * spreadsheets show as text. They ignore leading white space, and so does this check. Where lists are separated by
 * semicolons or tabs, a spreadsheet splits there and at line breaks even inside of our quotes, so what follows them is
 * a beginning too.
 */
function csvCell(text: string | null): string {
  if (text === null) return '';
  const safe = (BEGINS_AS_FORMULA.test(text) ? `'${text}` : text).replace(SEPARATOR_BEFORE_FORMULA, "$&'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const BEGINS_AS_FORMULA = /^[\s\uFEFF]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const SEPARATOR_BEFORE_FORMULA = /[;\t\r\n](?=[\s\uFEFF"]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
