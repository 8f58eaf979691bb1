import { ERRORS } from '@quittance/contract';
import { codeBlock } from './code-block.ts';
import { html, type Html, inline } from './html.ts';
import { jsonOf } from './sample-call.ts';

/** The whole table of error codes. */
export function errorsPage(): Html {
  const rows = Object.entries(ERRORS).sort(([, one], [, other]) => one.status - other.status);
  const example = {
    error: {
      code: 'invalid_checkout_session',
      message:
        '`amount` must be a decimal string from 0.01 to 999999999.99 with at most two decimals, such as "49.00".',
      param: 'amount',
    },
    request_id: 'req_7pXq5WzNk2TvRb8LsMc4HdGf',
  };
  return html`<h1>Errors</h1>
<p class="lead">All errors have the same form. Base program logic on <code>code</code>, show <code>message</code>
to people, and use <code>param</code> to find the field.</p>
${codeBlock(jsonOf(example), 'json')}
<p>After a 429 or 503, wait for the seconds in <code>Retry-After</code>, then retry with the same
<code>Idempotency-Key</code>. Include the <code>request_id</code> when you report a problem.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Error codes">
<table class="errors">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Message</th></tr></thead>
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
