import type { OpenApiDocument } from '@quittance/contract/openapi';
import type { Guide } from './guides.ts';
import { codeBlock, sampleTabs } from './code-block.ts';
import { html, type Html, prose } from './html.ts';
import { slug } from './layout.ts';
import { samplesOfCall } from './samples.ts';

/** The first page: the contents, and four steps from a key to a paid session. */
export function startPage(document: OpenApiDocument, guides: Guide[]): Html {
  const base = document.servers[0]?.url ?? '/v1';
  const service = base.replace(/\/v1$/, '');
  const step = (operationId: string, title: string, call: { path: string; body: object; ids?: string[] }) =>
    sampleTabs(
      operationId,
      title,
      samplesOfCall(
        {
          method: 'POST',
          base,
          url: `${base}${call.path}`,
          ids: call.ids ?? [],
          query: {},
          headers: KEY,
          body: call.body,
          isStream: false,
        },
        operationId,
      ),
    );
  return html`<h1>Quittance API</h1>
<p class="lead">Accept crypto payments directly into your own wallet. Version <a
href="/docs/changelog"><code>${String(document.info.version)}</code></a>, at <code>${base}</code>.</p>
${guides.some(({ slug }) => slug === 'selling-without-code') && DOORS}

<h2 id="quickstart"><a href="#quickstart">Quickstart</a></h2>
<ol class="steps">
<li><p><strong>Create a test key</strong> in the <a href="/dashboard">dashboard</a> and install the client. Test mode
is free: a sandbox simulates the networks.</p>
${codeBlock(`export QUITTANCE_KEY=sk_test_…\nnpm install ${service}/docs/quittance-sdk.tgz`, 'sh')}
<p>Save a sample of the SDK as a file that ends in <code>.mjs</code>. There are clients in <a
href="/docs/guides/verify-webhooks#our-own-clients">Python and PHP</a> as well.</p></li>
<li><p><strong>Save a payout wallet.</strong> Payments can only settle to saved wallets.</p>
${step('createPayoutWallet', 'Save a payout wallet', { path: '/payout-wallets', body: WALLET })}</li>
<li><p><strong>Create a checkout session</strong> and send the customer to its <code>checkout_url</code>.</p>
${step('createCheckoutSession', 'Create a checkout session', { path: '/checkout/sessions', body: SESSION })}</li>
<li><p><strong>Pay it.</strong> In test mode you simulate the customer. Then retrieve the session, or listen for
<code>payment.paid</code>.</p>
${step('testPaySession', 'Pay a test session', TEST_PAYMENT)}</li>
</ol>
<p class="note">Fulfill an order when <a href="/docs/events-and-signatures">a verified event</a> or the retrieved
session says <code>paid</code>. A customer who returns to your <code>success_url</code> has not necessarily paid.</p>

${
  guides.length > 0 &&
  html`<h2 id="guides"><a href="#guides">Guides</a></h2>
<ul class="list">
${guides.map(
  ({ slug, title }) => html`<li><a href="/docs/guides/${slug}">${title}</a></li>
`,
)}</ul>
`
}
<h2 id="conventions"><a href="#conventions">Conventions</a></h2>
${prose(String(document.info.description))}

<h2 id="resources"><a href="#resources">Resources</a></h2>
<dl class="fields">
${document.tags.map(
  (tag) => html`<div><dt><a href="/docs/${slug(tag.name)}">${tag.name}</a></dt><dd>${tag.description}</dd></div>
`,
)}</dl>`;
}

const DOORS = html`<ul class="doors">
<li><a href="/docs/guides/selling-without-code"><strong>I sell without code</strong> A wallet, a link to share, and
what to do when a payment goes wrong.</a></li>
<li><a href="#quickstart"><strong>I connect my own code</strong> A test key, a checkout and its payment, in four
steps.</a></li>
</ul>`;

const WALLET = { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' };
const SESSION = { amount: '49.00', currency: 'USD', order_id: 'order-1042' };
const TEST_PAYMENT = {
  path: '/test_helpers/checkout/sessions/cs_…/pay',
  body: { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' },
  ids: ['cs_…'],
};
const KEY: [string, string][] = [
  ['Authorization', 'Bearer $QUITTANCE_KEY'],
  ['Content-Type', 'application/json'],
];
