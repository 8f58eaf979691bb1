import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ERRORS } from '@quittance/contract';
import { openApiDocument } from '@quittance/contract/openapi';
import { expect, test } from 'vitest';
import { escapeHtml, html, inline } from './html.ts';
import { plain } from './outline.ts';
import { VERIFY } from './events.ts';
import { documentation } from './pages.ts';

const document = openApiDocument({ publicUrl: 'https://pay.example.com' });
const { pages, search, notFound } = documentation(document);
const everything = [...pages.values()].join('\n');

test('every operation has its place on a page, with a call for the client or Node, the shell, Python and PHP', () => {
  for (const methods of Object.values(document.paths)) {
    for (const { operationId } of Object.values(methods)) {
      const section = everything.split(`id="${operationId}"`)[1]?.split('</section>')[0];
      expect(section, operationId).toContain('data-language="curl"');
      expect(plain(section ?? ''), operationId).toMatch(/await fetch\(|quittance\.\w/);
      expect(plain(section ?? ''), operationId).toMatch(/quittance\.(get|post|patch|delete|list)\(|urlopen/);
      expect(plain(section ?? ''), operationId).toMatch(/\$quittance->|fopen/);
    }
  }
});

test('the verifier of the page on webhooks is a module that takes what is signed, and nothing that was changed', async () => {
  const code = plain(pages.get('events-and-signatures') ?? '');
  expect(code).toContain('export function verify(');
  const { verify } = await import(`data:text/javascript,${encodeURIComponent(VERIFY)}`);
  const t = Math.floor(Date.now() / 1000);
  const signed = (body: string) => createHmac('sha256', 'whsec').update(`${t}.${body}`).digest('hex');
  const body = '{"id":"evt_1"}';
  expect(verify(body, `t=${t},v1=${'0'.repeat(64)},v1=${signed(body)}`, 'whsec')).toEqual({ id: 'evt_1' });
  expect(() => verify('{"id":"evt_2"}', `t=${t},v1=${signed(body)}`, 'whsec')).toThrow('not from Quittance');
  const sample = '{"sample":true}';
  expect(() => verify(sample, `t=${t},v1=${signed(sample)}`, 'whsec')).toThrow('a sample');
});

test('every tab of a sample shows its code, also without the script', () => {
  const style = readFileSync(new URL('reading.css', import.meta.url), 'utf8');
  const tabs = new Set([...everything.matchAll(/data-sample="(\d+)"/g)].map(([, value]) => value));
  expect(tabs.size).toBe(4);
  for (const value of tabs) expect(style).toContain(`[value="${value}"]:checked) [data-sample="${value}"]`);
});

test('every link within the documentation leads to something that is there', () => {
  const links = [...everything.matchAll(/href="\/docs\/?([^"#]*)(?:#([^"]+))?"/g)].filter(
    ([, page]) => page !== 'docs.css' && page !== 'docs.js',
  );
  expect(links.length).toBeGreaterThan(100);
  const dead = links.filter(
    ([, page = '', id]) => !pages.has(page) || (id && !pages.get(page)?.includes(`id="${id}"`)),
  );
  expect([...new Set(dead.map(([link]) => link))]).toEqual([]);
});

test('the guides are pages that speak of this service, in the order they are read', () => {
  const guides = [...pages.keys()].filter((path) => path.startsWith('guides/'));
  expect(guides.slice(0, 2)).toEqual(['guides/selling-without-code', 'guides/first-payment']);
  expect(guides.at(-1)).toBe('guides/going-live');
  expect(plain(pages.get('guides/first-payment') ?? '')).toContain('export QUITTANCE_URL=https://pay.example.com');
  expect(guides.map((path) => pages.get(path)).join()).not.toContain('localhost:3000');
});

test('no page contains a script or style of its own, or the address of another server', () => {
  const own = everything.replaceAll('<script src="/docs/docs.js" defer></script>', '');
  expect(own).not.toMatch(/<script|<style|\sstyle=|\son\w+=|(src|href)="https?:/);
});

test('ids on a page are unique', () => {
  for (const [path, text] of pages) {
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size, path).toBe(ids.length);
  }
});

test('every result of the search leads to a place that exists', () => {
  const dead = search.filter(({ a }) => {
    const [path = '', id] = a.replace(/^\/docs\/?/, '').split('#');
    return !pages.has(path) || (id && !pages.get(path)?.includes(`id="${id}"`));
  });
  expect(dead).toEqual([]);
  expect(search.find(({ t }) => t === 'Create a checkout session')?.a).toBe(
    '/docs/checkout-sessions#createCheckoutSession',
  );
  expect(search.find(({ t }) => t === 'rate_limited')?.a).toBe('/docs/errors#rate_limited');
});

test('one can read from the first page to the last by the links to the next page', () => {
  const seen: string[] = [];
  for (let path: string | undefined = ''; path !== undefined; ) {
    seen.push(path);
    path = /<a rel="next" href="\/docs\/([^"]+)"/.exec(pages.get(path) ?? '')?.[1];
    if (path !== undefined && seen.includes(path)) throw new Error(`twice: ${path}`);
  }
  expect(seen.sort()).toEqual([...pages.keys()].sort());
});

test('every page describes itself in the words of its first paragraph', () => {
  for (const [path, text] of pages) {
    const description = /<meta name="description" content="([^"]+)">/.exec(text)?.[1] ?? '';
    expect(description.length, path).toBeGreaterThan(20);
  }
  expect(notFound).toContain('Page not found');
});

test('every error code is explained', () => {
  for (const code of Object.keys(ERRORS)) expect(pages.get('errors')).toContain(`id="${code}"`);
});

test('values in a page are escaped', () => {
  expect(escapeHtml(`<a href="x" title='y'>&`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;');
  expect(html`<p>${'<b>'}</p>${[html`<i>`, '&']}`.text).toBe('<p>&lt;b&gt;</p><i>&amp;');
  expect(inline('a `<b>` **c**').text).toBe('a <code>&lt;b&gt;</code> <strong>c</strong>');
});
