import { RECEIVER_SAMPLE } from '@quittance/contract/receiver-sample';
import type { WrittenMail } from './mails.ts';
import type { ReceivedWebhook } from './received.ts';

export function indexPage(): string {
  return page(
    'Development',
    false,
    `<p>Tools of the development server. They are not available in production.</p>
<ul><li><a href="/dev/mail">Mail inbox</a>: emails that this server would send, with login codes</li>
<li><a href="/dev/webhooks">Webhook inbox</a>: webhooks that the built-in receiver got, with signature status</li>
<li><a href="/readyz">Health</a>: the database, the networks and the queues</li></ul>`,
  );
}

const NO_MAILS = 'No emails yet. Request a login code in the <a href="/dashboard/sign-in">dashboard</a>.';

export function mailsPage(mails: readonly WrittenMail[]): string {
  const rows = mails.map(
    (mail) =>
      `<tr><td><a href="/dev/mail/${encodeURIComponent(mail.name)}">${text(mail.subject)}</a></td>` +
      `<td>${text(mail.to)}</td><td>${text(mail.date)}</td></tr>`,
  );
  return page(
    'Mail inbox',
    true,
    `<p>Emails that this server would send, newest first. Login codes are the last word of the subject.</p>
${table(['Subject', 'To', 'Date'], rows, NO_MAILS)}`,
  );
}

export function mailPage(mail: WrittenMail): string {
  return page(
    mail.subject,
    false,
    `<p><a href="/dev/mail">All emails</a></p>
<dl><dt>To</dt><dd>${text(mail.to)}</dd><dt>Date</dt><dd>${text(mail.date)}</dd></dl><pre>${text(mail.text)}</pre>`,
  );
}

export function webhooksPage(received: readonly ReceivedWebhook[]): string {
  const rows = received.map(
    (one) =>
      `<tr><td><a href="/dev/webhooks/${one.id}">${text(one.type)}</a></td><td>${badge(one)}</td>` +
      `<td><code>${text(one.paymentId)}</code></td><td>${one.at.toISOString().slice(11, 23)} UTC</td></tr>`,
  );
  return page(
    'Webhook inbox',
    true,
    `<p>Webhooks received since startup, newest first, with signature status.</p>
${table(['Event', 'Signature', 'Payment', 'Received'], rows, 'No webhooks yet. Pay a test checkout to see one here.')}`,
  );
}

export function webhookPage(received: ReceivedWebhook): string {
  const { verdict } = received;
  const headers = Object.entries(received.headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  return page(
    received.type,
    false,
    `<p><a href="/dev/webhooks">All webhooks</a></p>
<p>${badge(received)} ${verdict.verified ? `with the secret of <code>${text(verdict.endpointId)}</code>` : text(verdict.why)}</p>
<h2>Verified by</h2><pre>${text(RECEIVER_SAMPLE)}</pre>
<h2>Headers</h2><pre>${text(headers)}</pre>
<h2>Body</h2><pre>${text(pretty(received.body))}</pre>`,
  );
}

function badge({ verdict }: ReceivedWebhook): string {
  return verdict.verified ? '<strong class="good">✓ verified</strong>' : '<strong class="bad">✗ not verified</strong>';
}

function pretty(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString('utf8')), null, 2);
  } catch {
    return body.toString('utf8');
  }
}

function table(heads: readonly string[], rows: readonly string[], empty: string): string {
  if (rows.length === 0) return `<p class="empty">${empty}</p>`;
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>${rows.join('')}</tbody></table></div>`;
}

function page(title: string, refreshes: boolean, main: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">${refreshes ? '<meta http-equiv="refresh" content="5">' : ''}
<title>${text(title)} · Quittance</title><link rel="icon" type="image/svg+xml" href="/favicon.svg"><link
rel="stylesheet" href="/dev/dev.css"></head><body><nav aria-label="Development"><strong><a
href="/dev">Quittance</a></strong><a href="/dashboard">Dashboard</a><a href="/dev/mail">Mail</a><a
href="/dev/webhooks">Webhooks</a><a href="/docs">Docs</a></nav><main><h1>${text(title)}</h1>${main}</main></body></html>`;
}

function text(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
