import { expect, test } from 'vitest';
import { highlight } from './highlight.ts';
import { escapeHtml } from './html.ts';

test.each([
  [
    'js',
    "const a = '<b>'; // 1",
    '<span class="keyword">const</span> a = <span class="string">&#39;&lt;b&gt;&#39;</span>; <span class="comment">// 1</span>',
  ],
  [
    'json',
    '{"a": "b", "c": 1}',
    '{<span class="property">&quot;a&quot;</span>: <span class="string">&quot;b&quot;</span>, <span ' +
      'class="property">&quot;c&quot;</span>: <span class="number">1</span>}',
  ],
  [
    'sh',
    'curl -H "x: #1" # go',
    '<span class="keyword">curl</span> <span class="property">-H</span> <span class="string">&quot;x: ' +
      '#1&quot;</span> <span class="comment"># go</span>',
  ],
  ['', 'const <a>', 'const &lt;a&gt;'],
])('%s: %s', (language, code, expected) => {
  expect(highlight(code, language)).toBe(expected);
});

test.each(['js', 'json', 'sh', 'python', 'html'])('no character is lost in %s', (language) => {
  const code = 'a "b\\"c" \'d\' `e` // <f>\n# g & h\n<!-- i --> <j k="l"> 1.5 {"m": null} --n';
  expect(highlight(code, language).replace(/<\/?span[^>]*>/g, '')).toBe(escapeHtml(code));
});
