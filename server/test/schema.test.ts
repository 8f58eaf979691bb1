import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSchema } from './support/schema.ts';
import { createTestDatabase } from './support/database.ts';

test('docs/schema.sql is what the migrations make: npm run docs', async () => {
  const database = await createTestDatabase();
  try {
    expect(readFileSync(new URL('../../docs/schema.sql', import.meta.url), 'utf8')).toBe(
      await readSchema(database.url),
    );
  } finally {
    await database.drop();
  }
});
