/** The types of columns that one table of columns names. */
export type ColumnType = 'text' | 'text[]' | 'boolean' | 'integer' | 'bigint' | 'jsonb' | 'bytea' | 'timestamptz';

/** A table's columns by the properties that its rows have in the program, with their types. */
export type Columns<Row> = Readonly<Record<keyof Row & string, ColumnType>>;

/** `s.id, s.account_id`: the columns of the table that the prefix names. */
export function columnNames(columns: Columns<object>, prefix = ''): string {
  return Object.keys(columns)
    .map((property) => prefix + columnOf(property))
    .join(', ');
}

/** `id text, account_id text`: the columns of a JSON recordset. */
export function columnTypes(columns: Columns<object>): string {
  return Object.entries(columns)
    .map(([property, type]) => `${columnOf(property)} ${type}`)
    .join(', ');
}

/** Returns what writes a row as members of a JSON object: `"id":"cs_1","account_id":…`. */
export function jsonMembersOf<Row extends object>(columns: Columns<Row>): (row: Row) => string {
  const all = (Object.entries(columns) as [keyof Row & string, ColumnType][]).map(
    ([property, type], at) => [property, `${at === 0 ? '' : ','}"${columnOf(property)}":`, type] as const,
  );
  // As text, because an object with computed keys costs twice as much in a statement that carries many.
  return (row) => {
    let json = '';
    for (const [property, name, type] of all) json += name + jsonValue(row[property], type);
    return json;
  };
}

function jsonValue(value: unknown, type: ColumnType): string {
  if (value === null) return 'null';
  if (type === 'bigint' || type === 'boolean') return String(value);
  return JSON.stringify(type === 'bytea' ? bytea(value as Buffer) : value);
}

/** Bytes as JSON gives them to a `bytea`. */
export function bytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

/** The column of a property. */
function columnOf(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
