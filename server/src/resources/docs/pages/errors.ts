import { ERRORS } from '@quittance/contract';
import { html, type Html, inline } from './html.ts';
import { jsonOf } from './samples.ts';

/** The whole table of error codes. */
export function errorsPage(): Html {
  const rows = Object.entries(ERRORS).sort(([, one], [, other]) => one.status - other.status);
  const example = {
    error: {
      code: 'invalid_checkout_session',
      message: 'The amount is a decimal string such as "49.00".',
      param: 'amount',
    },
    request_id: 'req_7pXq5WzNk2TvRb8LsMc4HdGf',
  };
  return html`<h1>Errors</h1>
<p class="lead">Every error has one form. Programs decide by <code>code</code>, people read <code>message</code>, and <code>param</code> names the field.</p>
<pre tabindex="0"><code>${jsonOf(example)}</code></pre>
<p>Send a request that was answered with 429 or 503 again after the seconds that <code>Retry-After</code> names, and with the same <code>Idempotency-Key</code>. Whatever you ask us about a request, name its <code>request_id</code>.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Error codes">
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">What it says</th></tr></thead>
<tbody>
${rows.map(
  ([
    code,
    { status, message },
  ]) => html`<tr id="${code}"><td>${status}</td><th scope="row"><code>${code}</code></th><td>${inline(message)}</td></tr>
`,
)}</tbody>
</table>
</div>`;
}
