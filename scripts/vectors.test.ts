import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VECTOR_FILES, vectorText } from './vectors.ts';

test.each(VECTOR_FILES)(
  'contract/vectors/%s.json is what the code of the server makes (`npm run docs` writes it)',
  (name) => {
    const file = new URL(`../contract/vectors/${name}.json`, import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(vectorText(name));
  },
);
