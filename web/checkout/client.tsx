import { hydrate, render } from 'preact';
import { paySession, readPrice, readSession } from './api.ts';
import { followSession } from './client/follow.ts';
import { takeOverForms } from './client/forms.ts';
import { guardDetails } from './client/guard.ts';
import { renewQuote } from './client/renew-quote.ts';
import { followHistory, recordStep } from './client/steps.ts';
import { cancelScan, discoverWallets, isPayable } from './client/wallets.ts';
import { favicon, type FaviconState } from './favicon.ts';
import { type Catalog, type Translate, translator } from './i18n/messages.ts';
import {
  type CheckoutPage,
  isOpenStage,
  isTooLate,
  type PublicPayment,
  type PublicSession,
  type Stage,
  stageOf,
} from './page-state.ts';
import type { LivePage } from './client/live-page.ts';
import { Checkout } from './page.tsx';
import { noteJustPaid } from './just-paid.ts';
import { secondsUntil, storeServerTime } from './server-clock.ts';
import { askedOf, storedSent, storeSent } from './stored-sent.ts';
import './styles/index.css';

/** Enhances the server's page: follows the session and rerenders. Everything works without it, only slower. */
async function enhance(root: HTMLElement, { page, catalog }: { page: CheckoutPage; catalog: Catalog }): Promise<void> {
  const isOpen = isOpenStage(stageOf(page));
  let After = isOpen ? null : await loadAfter().catch(() => null);
  // Without what draws its stage the page stays as the server drew it, and is opened again.
  if (!After && !isOpen) return void setTimeout(openAgain, LOOK_AGAIN_MS, page.session.id);
  const t = translator(page.locale, catalog);
  const title = document.title;
  let shown = page;
  let readSoon = () => {};
  const live: LivePage = {
    root,
    shown: () => shown,
    show(change) {
      const before = shown;
      shown = { ...shown, ...change };
      if (isOtherAddress(before.session.payment, shown.session.payment)) shown = { ...shown, tampered: true };
      if (change.session) shown = { ...shown, timeUp: isTimeUp(change.session) };
      // The stream says nothing of it if a single request failed.
      if (change.offline && !before.offline) readSoon();
      storeSent(before, shown);
      if (shown.session.status !== before.session.status) postToParent(shown, 'status');
      // Only the server sends the redirect URL, once it is paid, so the page reloads.
      if (before.session.status !== 'paid' && shown.session.status === 'paid') {
        noteJustPaid(shown.session.id);
        openAgain(shown.session.id);
        if (navigator.onLine) return;
      }
      if (!isTooLate(before) && isOtherPayment(before, shown)) cancelScan();
      render(<Checkout page={shown} catalog={catalog} After={After} />, root);
      if (!After && !isOpenStage(stageOf(shown)))
        loadAfter().then(
          (loaded) => {
            After = loaded;
            live.show({});
          },
          // A new version of the service no longer has this page's files.
          () => openAgain(shown.session.id),
        );
      recordStep(before, shown);
      showInTab(stageOf(shown), title, t);
      priceChoice(live, change.choice);
    },
  };

  storeServerTime(page.session.server_time);
  hydrate(<Checkout page={page} catalog={catalog} After={After} />, root);
  live.show({ choice: page.choice });
  takeOverForms(live);
  followHistory(live);
  followSent(live);
  discoverWallets(live);
  guardDetails(live);
  renewQuote(live);
  if (page.wallet) void import('./client/sign-payment.ts').then(({ followSignature }) => followSignature(live));
  endInTime(live);
  readSoon = follow(live);
  postToParent(page, 'ready');
  // Keys pressed in a frame never reach the page around it. An open dialog closes first.
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !root.querySelector('dialog[open]')) postToParent(shown, 'close');
  });
  skipChoice(live);
  pollReachability(live);
  // While there is a connection: what follows is also shown when it is lost.
  After ??= await loadAfter().catch(() => null);
}

/** Shows what becomes of the session, and ends what a wallet did for what is not asked for any more. */
function follow(live: LivePage): () => void {
  return followSession(live.shown().session, {
    changed: (session) =>
      live.show({
        session,
        offline: false,
        ...(askedOf(session.payment) !== askedOf(live.shown().session.payment) && { wallet: null }),
      }),
    unchanged: (session) => {
      const { offline, timeUp } = live.shown();
      const isOver = isTimeUp(session);
      if (offline || Boolean(timeUp) !== isOver) live.show({ offline: false, timeUp: isOver });
    },
    lost: () => {
      if (!live.shown().offline) live.show({ offline: true });
    },
  });
}

/** By the clock of this answer: the one of the device may have been set since the last one. */
function isTimeUp({ server_time: now, expires_at: end }: PublicSession): boolean {
  storeServerTime(now);
  return end !== null && secondsUntil(end) === 0;
}

/** Whose wallet has sent before a reload, or in another tab, is not asked to pay, nor for another coin. */
function followSent(live: LivePage): void {
  const takeUp = () => {
    const page = live.shown();
    const wallet = storedSent(page);
    if (wallet && (!page.wallet || page.wallet.step === 'failed')) live.show({ view: 'auto', choice: null, wallet });
  };
  takeUp();
  addEventListener('storage', takeUp);
}

/** Asks what the chosen conversion costs, unless the server said it with the page. */
function priceChoice(live: LivePage, choice: CheckoutPage['choice'] = null): void {
  if (choice === null || choice.price !== undefined) return;
  readPrice(live.shown().session.id, choice).then(
    (price) => {
      if (live.shown().choice === choice) live.show({ choice: { ...choice, price } });
    },
    () => undefined,
  );
}

const loadAfter = async () => (await import('./stages/after.tsx')).AfterStage;

/** Once the service can be reached: without a connection the browser would show an error of its own instead of the page. */
function openAgain(sessionId: string): void {
  readSession(sessionId).then(
    () => location.replace(`/checkout/${sessionId}`),
    () => setTimeout(openAgain, OPEN_AGAIN_MS, sessionId),
  );
}

const OPEN_AGAIN_MS = 2_000;

/** The address of a direct payment never changes, so a different one is wrong, wherever it comes from. */
function isOtherAddress(before: PublicPayment | null, now: PublicPayment | null): boolean {
  return before?.kind === 'direct' && now?.kind === 'direct' && before.address !== now.address;
}

/** The customer has left the payment, or nothing is to be sent any more. */
function isOtherPayment(before: CheckoutPage, now: CheckoutPage): boolean {
  return !now.wallet || !isPayable(now) || before.session.payment?.uri !== now.session.payment?.uri;
}

const LOOK_AGAIN_MS = 10_000;

/** Chooses automatically if there is one coin and no question. */
function skipChoice(live: LivePage): void {
  const { session, view } = live.shown();
  const [only] = session.options;
  if (
    session.status !== 'created' ||
    view === 'choose' ||
    session.options.length !== 1 ||
    only?.kind !== 'direct' ||
    !only.available
  )
    return;
  paySession(session.id, { pay_asset: only.asset, pay_network: only.network }).then(
    (started) => live.show({ session: started }),
    () => undefined,
  );
}

/** Changes of reachability are not streamed, so the page polls while nothing is reachable. */
function pollReachability(live: LivePage): void {
  setInterval(() => {
    const { session } = live.shown();
    if (document.hidden || stageOf(live.shown()) !== 'choose' || session.options.some((option) => option.available))
      return;
    readSession(session.id).then(
      (now) => live.show({ session: now }),
      () => undefined,
    );
  }, LOOK_AGAIN_MS);
}

/** Once the time is up nothing may be sent, even before the service reports it. */
function endInTime(live: LivePage): void {
  setInterval(() => {
    const { session, timeUp } = live.shown();
    if (!timeUp && session.expires_at !== null && secondsUntil(session.expires_at) === 0) live.show({ timeUp: true });
  }, 1_000);
}

/** In a frame, posts the payment's status to the parent page, if its origin is on the merchant's list. */
function postToParent({ session, frameParents }: CheckoutPage, type: 'ready' | 'status' | 'close'): void {
  if (window.parent === window) return;
  const known = location.ancestorOrigins?.[0];
  const origins = known ? frameParents.filter((origin) => origin === known) : frameParents;
  for (const origin of origins)
    window.parent.postMessage({ source: 'quittance', type, session: session.id, status: session.status }, origin);
}

/** Shows the status in the tab's title and icon, for a customer who has switched to their wallet. */
function showInTab(stage: Stage, title: string, t: Translate): void {
  document.title = isTitled(stage) ? `${t(`${stage}_title`)} · ${title}` : title;
  document.querySelector('link[rel=icon]')?.setAttribute('href', favicon(isTitled(stage) ? STATES[stage] : 'waiting'));
}

function isTitled(stage: Stage): stage is keyof typeof STATES {
  return stage in STATES;
}

/** The stages that have a title of their own. */
const STATES = {
  confirming: 'seen',
  converting: 'seen',
  delivering: 'seen',
  paid: 'paid',
  refunded: 'paid',
  top_up: 'trouble',
  closing: 'trouble',
  failed: 'trouble',
  expired: 'trouble',
  refund_required: 'trouble',
} as const satisfies Partial<Record<Stage, FaviconState>>;

// Last: what it calls needs the tables above.
const root = document.getElementById('root');
const state = document.getElementById('page-state')?.textContent;
if (root && state) void enhance(root, JSON.parse(state) as { page: CheckoutPage; catalog: Catalog });
