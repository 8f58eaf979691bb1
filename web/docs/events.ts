import { EVENT_MEANINGS, SCHEDULE_WORDS, WEBHOOK_EVENT_TYPES } from '@quittance/contract';
import type { OpenApiDocument } from '@quittance/contract/openapi';
import { codeBlock } from './code-block.ts';
import { html, type Html } from './html.ts';
import { jsonOf } from './sample-call.ts';

/** The events, when they are sent, and how merchants verify them. */
export function eventsPage(document: OpenApiDocument): Html {
  const paid = document.webhooks['payment.paid']?.post.requestBody?.content['application/json']?.examples?.event?.value;
  return html`<h1>Events and signatures</h1>
<p class="lead">Whenever a payment changes, Quittance sends an event to each of your <a
href="/docs/webhooks#createWebhookEndpoint">webhook endpoints</a> that subscribes to its type.</p>

<h2 id="event-types"><a href="#event-types">Event types</a></h2>
<dl class="fields">
${WEBHOOK_EVENT_TYPES.map(
  (type) => html`<div><dt><code>${type}</code></dt><dd>${EVENT_MEANINGS[type]}</dd></div>
`,
)}</dl>

<h2 id="payload"><a href="#payload">Payload</a></h2>
<p>The payment at the time of the event; for the types of refunds, the refund. Events may arrive more than once and
out of order: deduplicate them by <code>id</code>, and for each payment keep the event with the latest
<code>data.created_at</code>, then the highest
<code>sequence</code>. A session that is created again by its <code>Idempotency-Key</code>, after it was lost or
deleted, has its old payment ID with a later <code>created_at</code>, and its <code>sequence</code> starts again at
1.</p>
${codeBlock(jsonOf(paid), 'json')}

<h2 id="verifying-the-signature"><a href="#verifying-the-signature">Verifying the signature</a></h2>
<p>The header <code>Service-Signature</code> is <code>t=&lt;unix seconds&gt;,v1=&lt;hex&gt;</code>: the HMAC-SHA256 of
<code>t</code>, a period and the raw body, keyed with the endpoint's whole secret, including <code>whsec_</code>. Use
the raw bytes of the body; parsing and serializing it changes them. While a rotated secret overlaps, there are two
<code>v1</code> values, and one match is enough.</p>
${codeBlock(VERIFY, 'js')}
<p>The headers of Standard Webhooks (<code>webhook-id</code>, <code>webhook-timestamp</code>,
<code>webhook-signature</code>) are sent too, so you can verify events with its libraries in any language. An
endpoint with <code>asymmetric_signature</code> also gets <code>v1a</code>, and <code>Service-Audience</code>, which
the public keys at its <code>jwks_url</code> verify.</p>

<h2 id="retries"><a href="#retries">Retries</a></h2>
<p>Respond with any 2xx status within ${SCHEDULE_WORDS.timeoutSeconds} seconds. Other deliveries are retried after
${SCHEDULE_WORDS.delays}. When the ${SCHEDULE_WORDS.lastAttempt} attempt fails, the endpoint is disabled and its
deliveries are parked until you <a href="/docs/webhooks#enableWebhookEndpoint">enable it</a>.</p>`;
}

/** What the page on events prints: it runs as it is. */
export const VERIFY = `import { createHmac, timingSafeEqual } from 'node:crypto';

export function verify(rawBody, header, secret) {
  const parts = header.split(',').map((part) => part.split('='));
  const t = parts.find(([name]) => name === 't')[1];
  const expected = createHmac('sha256', secret).update(t + '.').update(rawBody).digest();

  const fits = parts.some(([name, value]) => {
    const given = Buffer.from(value, 'hex');
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!fits || Math.abs(Date.now() / 1000 - Number(t)) > 300) throw new Error('not from Quittance');
  const event = JSON.parse(rawBody);
  if (event.sample) throw new Error('a sample: there is no such payment');
  return event;
}`;
