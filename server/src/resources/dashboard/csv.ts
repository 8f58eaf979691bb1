/** One line of a CSV file as RFC 4180 has it. */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A cell that no spreadsheet takes for a formula: what begins like one gets an apostrophe in front, which spreadsheets
 * show as text. Leading white space does not hide a formula from them, so it does not from us.
 */
function csvCell(text: string | null): string {
  if (text === null) return '';
  const safe = /^[\s\uFEFF]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
