import { expect, test } from 'vitest';
import { replaceBetween } from './between.ts';

const MARKERS = ['<!-- begin -->', '<!-- end -->'] as const;

test('only the text between the markers is replaced', () => {
  expect(replaceBetween('before\n<!-- begin -->\nold\n<!-- end -->\nafter\n', MARKERS, 'new')).toBe(
    'before\n<!-- begin -->\nnew\n<!-- end -->\nafter\n',
  );
});

test.each(['without markers', '<!-- begin --> only', 'only <!-- end -->', '<!-- end --> before <!-- begin -->'])(
  'a document without both markers in order is refused instead of corrupted: %s',
  (document) => {
    expect(() => replaceBetween(document, MARKERS, 'new')).toThrow('the document does not contain');
  },
);
