import { expect, test } from 'vitest';
import { markdown } from './markdown.ts';

const of = (text: string) =>
  markdown(text, (address) => (address === 'webhooks.md' ? '/docs/guides/webhooks' : undefined)).text;

const block = (code: string) =>
  `<div class="block"><pre tabindex="0"><code>${code}</code></pre><button type="button" class="copy" ` +
  'aria-label="Copy this code">Copy</button></div>';

test.each([
  ['# A <b>', '<h1>A &lt;b&gt;</h1>'],
  ['## Go, live', '<h2 id="go-live"><a href="#go-live">Go, live</a></h2>'],
  ['## 4. Go', '<h2 id="go"><a href="#go">4. Go</a></h2>'],
  ['## A\n## A', '<h2 id="a"><a href="#a">A</a></h2>\n<h2 id="a-2"><a href="#a-2">A</a></h2>'],
  ['two\nlines', '<p>two lines</p>'],
  ['`<a>` **b** *c* `**d**`', '<p><code>&lt;a&gt;</code> <strong>b</strong> <em>c</em> <code>**d**</code></p>'],
  [
    '[web `hooks`](webhooks.md), [else](../operating.md)',
    '<p><a href="/docs/guides/webhooks">web <code>hooks</code></a>, else</p>',
  ],
  ['[x](javascript:alert(1))', '<p>x)</p>'],
  ['- one\n  more\n- two', '<ul class="list"><li>one more</li>\n<li>two</li></ul>'],
  ['1. one\n2. two', '<ol class="list"><li>one</li>\n<li>two</li></ol>'],
  [
    '```js shop.mjs\n# no heading <script>\n```\nafter',
    `<figure><figcaption>shop.mjs</figcaption>${block('# no heading &lt;script&gt;')}</figure>\n<p>after</p>`,
  ],
  ['text\n```sh\nls\n```', `<p>text</p>\n${block('ls')}`],
])('%j', (text, expected) => {
  expect(of(text)).toBe(expected);
});

test('a table has a head and rows', () => {
  expect(of('| A | B |\n|---|---|\n| `a\\|b` | c |')).toContain(
    '<tr><th scope="col">A</th><th scope="col">B</th></tr></thead>\n<tbody><tr><td><code>a|b</code></td><td>c</td></tr>',
  );
});
