import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type BrowserServer,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';

/** The first one is Chromium without a window to draw, which needs half the processor time. */
const INSTALLED = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

export async function openBrowser(): Promise<Browser> {
  return chromium.launch(await findBrowser());
}

/**
 * A browser with an empty profile, which other programs drive through the debugging port. A signal leaves it open: its
 * program decides how to end.
 */
export async function openBrowserWithPort(port: number): Promise<BrowserServer> {
  const { executablePath, args } = await findBrowser();
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launchServer({ executablePath, args: [...args, `--remote-debugging-port=${port}`], ...signals });
}

/** The installed Chromium, otherwise the one in an npm package. */
async function findBrowser(): Promise<{ executablePath: string; args: string[] }> {
  const installed = process.env.CHROMIUM ?? INSTALLED.find((path) => existsSync(path));
  if (installed) return { executablePath: installed, args: FLAGS };

  const { default: packaged } = await import('@sparticuz/chromium');
  // It unpacks itself into the temporary directory, which must not contain another version's files.
  const folder = join(tmpdir(), 'quittance-chromium-153');
  await mkdir(folder, { recursive: true });
  process.env.TMPDIR = folder;
  return { executablePath: await packaged.executablePath(), args: [...packaged.args, ...FLAGS] };
}

export interface VisitOptions extends BrowserContextOptions {
  phone?: boolean;
}

/** A customer's browser window, and everything in it that must not happen. */
export interface Visit extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, violations of the content policy, dialogs, requests to other hosts. */
  incidents: string[];
}

const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 2,
};

/** Opens a window on the service at `url`; requests to other hosts are incidents. */
export async function visit(browser: Browser, url: string, { phone, ...options }: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1180, height: 900 },
    locale: 'en-US',
    // A dot that pulses keeps a processor busy where no graphics card draws it.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    // Pages that are answered by one would not pass through the routes of stories.
    serviceWorkers: 'block',
    ...(phone && PHONE),
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const incidents: string[] = [];
  page.on('pageerror', (error) => incidents.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && /content security policy|trusted ?type|refused to/i.test(message.text()))
      incidents.push(`policy: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const to = request.url();
    if (
      !to.startsWith('data:') &&
      !to.startsWith('blob:') &&
      !request.isNavigationRequest() &&
      new URL(to).origin !== new URL(url).origin
    )
      incidents.push(`request: ${to}`);
  });
  return {
    page,
    context,
    incidents,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** How many pixels of the page are beside the screen. A page that is just being replaced by another one is asked again. */
export async function overflow(page: Page): Promise<number> {
  try {
    return await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  } catch (error) {
    if (!String(error).includes('Execution context was destroyed')) throw error;
    await page.waitForLoadState();
    return overflow(page);
  }
}

/** Presses, and sees what that brings for a moment only: it is looked for from before the press. */
export async function pressAndSee(
  press: () => Promise<unknown>,
  brief: Locator,
  options?: { state: 'attached' },
): Promise<void> {
  await Promise.all([brief.waitFor(options), press()]);
}

/** Presses a button and answers whether that disabled it at once: in the task of the press, and its microtasks. */
export function isDisabledByPress(button: Locator): Promise<boolean> {
  return button.evaluate(async (element) => {
    (element as HTMLButtonElement).click();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return (element as HTMLButtonElement).disabled;
  });
}
