import type { OpenApiDocument } from '@quittance/contract/openapi';
import type { Guide } from './guides.ts';
import { html, type Html, prose } from './html.ts';
import { slug } from './layout.ts';

/** The first page: what there is, and from a key to a paid session in four steps. */
export function startPage(document: OpenApiDocument, guides: Guide[]): Html {
  const base = document.servers[0]?.url ?? '/v1';
  return html`<h1>Quittance API</h1>
<p class="lead">Accept crypto payments directly into your own wallet. Version <code>${String(document.info.version)}</code>, at <code>${base}</code>.</p>

<h2>Quickstart</h2>
<ol class="steps">
<li><p><strong>Create a test key</strong> in the <a href="/dashboard">dashboard</a>. Test mode is free: a sandbox simulates the networks.</p>
<pre tabindex="0"><code>export QUITTANCE_KEY=sk_test_…</code></pre></li>
<li><p><strong>Save a payout wallet.</strong> Payments can only settle to saved wallets.</p>
<pre tabindex="0"><code>${command(base, '/payout-wallets', { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' })}</code></pre></li>
<li><p><strong>Create a checkout session</strong> and send the customer to its <code>checkout_url</code>.</p>
<pre tabindex="0"><code>${command(base, '/checkout/sessions', { amount: '49.00', currency: 'USD', order_id: 'order-1042' })}</code></pre></li>
<li><p><strong>Pay it.</strong> In test mode you simulate the customer. Then retrieve the session, or listen for <code>payment.paid</code>.</p>
<pre tabindex="0"><code>${command(base, '/test_helpers/checkout/sessions/cs_…/pay', { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' })}</code></pre></li>
</ol>
<p class="note">Fulfill an order when <a href="/docs/events-and-signatures">a verified event</a> or the retrieved session says <code>paid</code>. A customer who returns to your <code>success_url</code> has not necessarily paid.</p>

${
  guides.length > 0 &&
  html`<h2>Guides</h2>
<ul class="list">
${guides.map(
  ({ slug, title }) => html`<li><a href="/docs/guides/${slug}">${title}</a></li>
`,
)}</ul>
`
}
<h2>Conventions</h2>
${prose(String(document.info.description))}

<h2>Resources</h2>
<dl class="fields">
${document.tags.map(
  (tag) => html`<div><dt><a href="/docs/${slug(tag.name)}">${tag.name}</a></dt><dd>${tag.description}</dd></div>
`,
)}</dl>`;
}

function command(base: string, path: string, body: unknown): string {
  return `curl ${base}${path} \\\n  -H "Authorization: Bearer $QUITTANCE_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(body)}'`;
}
