import type { Page } from 'playwright-core';

/** What must not happen in a page that was given markup to show. */
export interface Findings {
  dialogs: number;
  violations: number;
  requests: number;
  errors: number;
  elements: number;
  lines: string[];
}

/** Watches a window for dialogs, violations of the content policy, requests to other hosts, errors of scripts. */
export async function watchFor(page: Page, origin: string, findings: Findings): Promise<void> {
  const note = (kind: Exclude<keyof Findings, 'lines'>, what: string) => {
    findings[kind]++;
    findings.lines.push(`${kind}: ${what} at ${page.url().slice(0, 200)}`);
  };
  page.on('dialog', (dialog) => {
    note('dialogs', dialog.message());
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => note('errors', error.message));
  page.on('request', (request) => {
    const to = request.url();
    if (/^(data|blob):/.test(to) ? request.isNavigationRequest() : new URL(to).origin !== origin)
      note('requests', to.slice(0, 200));
  });
  await page.exposeFunction('policyViolated', (what: string) => note('violations', what));
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) =>
      (window as unknown as { policyViolated(what: string): void }).policyViolated(
        `${event.violatedDirective} ${event.blockedURI} ${event.sample}`,
      ),
    ),
  );
}

/** Elements and attributes that the pages never contain, so that they can only come from a payload. */
export async function lookForForeign(page: Page, findings: Findings): Promise<void> {
  const foreign = await page.evaluate(() => {
    const found = [
      ...document.querySelectorAll(
        'iframe, object, embed, base, style, template, video, math, animate, [srcdoc], script:not([src]):not([type="application/json"])',
      ),
    ].map((element) => element.outerHTML.slice(0, 80));
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (
          name.startsWith('on') ||
          (/^\s*(javascript|vbscript|data:text)/i.test(value.replace(/[\t\n\r]/g, '')) &&
            /^(href|src|action|formaction|xlink:href)$/.test(name))
        )
          found.push(`${element.tagName} ${name}=${value}`.slice(0, 80));
      }
    }
    return found;
  });
  findings.elements += foreign.length;
  for (const one of foreign) findings.lines.push(`element: ${one} at ${page.url().slice(0, 200)}`);
}
