/** One line of a CSV file (RFC 4180). */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A cell that no spreadsheet takes for a formula: text that begins like one gets a leading apostrophe, which
 * spreadsheets show as text. They ignore leading white space, and so does this check.
 */
function csvCell(text: string | null): string {
  if (text === null) return '';
  const safe = /^[\s\uFEFF]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
