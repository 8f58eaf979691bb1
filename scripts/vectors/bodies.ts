import { endpoints } from '@quittance/contract';

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** Each object and each list that a request may have, empty: a language with one type for both must tell them apart. */
export function bodyVectors(): Record<string, object>[] {
  const empty = new Map<string, object>();
  const read = ({ type, properties = {}, items, anyOf = [] }: Schema, name?: string): void => {
    if (name !== undefined && type === 'object') empty.set(name, {});
    if (name !== undefined && type === 'array') empty.set(name, []);
    for (const [key, one] of Object.entries(properties)) read(one, key);
    for (const one of anyOf) read(one, name);
    if (items) read(items);
  };
  for (const { body } of Object.values<{ body?: object }>(endpoints)) if (body) read(body);
  return [{}, ...[...empty].map(([name, value]) => ({ [name]: value }))];
}
