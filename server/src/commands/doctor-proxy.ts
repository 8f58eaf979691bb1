import type { Config } from '../config.ts';
import { SECOND_MS } from '../platform/time.ts';
import type { Finding } from './finding.ts';

const TIMEOUT_MS = 10 * SECOND_MS;

/** How requests to PUBLIC_URL arrive: through a proxy that names the client, and whom the service trusts about it. */
export async function checkProxy({ profile, publicUrl, trustedProxies }: Config): Promise<Finding[]> {
  if (profile === 'development') return [{ state: 'ok', subject: 'proxy', details: 'none is expected (development)' }];
  const findings: Finding[] = [
    trustedProxies.length > 0
      ? { state: 'ok', subject: 'TRUSTED_PROXIES', details: trustedProxies.join(', ') }
      : {
          state: 'warning',
          subject: 'TRUSTED_PROXIES',
          details: 'not set: behind a proxy, all clients share its rate limits. Name the address that it connects from',
        },
  ];
  return [...findings, await checkPublicUrl(publicUrl)];
}

/** `/metrics` exists for this machine only, so it shows whether the proxy says that a request is not from here. */
export async function checkPublicUrl(publicUrl: string): Promise<Finding> {
  const subject = 'PUBLIC_URL';
  try {
    const health = await ask(`${publicUrl}/healthz`);
    if (health.status !== 200 || (health.body as { status?: unknown } | undefined)?.status !== 'ok')
      return {
        state: 'warning',
        subject,
        details: `${publicUrl}/healthz answers ${health.status} and not as this service: start it, or let the proxy pass everything on`,
      };
    const { status } = await ask(`${publicUrl}/metrics`);
    if (status === 200)
      return {
        state: 'failed',
        subject,
        details: `${publicUrl}/metrics is public: let the proxy set X-Forwarded-For to the client's address (docs/installing.md)`,
      };
    return { state: 'ok', subject, details: `${publicUrl} leads to the service, which sees that a proxy forwards` };
  } catch (error) {
    const { message, cause } = error as Error;
    return {
      state: 'warning',
      subject,
      details: `${publicUrl} cannot be reached from here: ${(cause as Error | undefined)?.message || message}`,
    };
  }
}

async function ask(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: undefined };
  }
}
