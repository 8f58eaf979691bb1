import { actOnTestSession, noticeTransaction, paySession, RefusedError } from '../api.ts';
import type { CheckoutPage, PublicSession } from '../page-state.ts';
import type { LivePage } from './live-page.ts';
import { failedStep, WalletError } from '../wallets/problem.ts';
import { cancelScan } from './wallets.ts';

/** Handles the page's forms and links in place, without a reload. */
export function takeOverForms(page: LivePage): void {
  page.root.addEventListener('submit', (event) => submit(event, page));
  page.root.addEventListener('click', (event) => click(event, page));
}

function submit(event: SubmitEvent, page: LivePage): void {
  const form = event.target as HTMLFormElement;
  const kind = form.dataset.do;
  if (!kind) return;
  event.preventDefault();
  // Read before the buttons are disabled, because a disabled button has no value.
  const fields = new FormData(form, event.submitter);
  const field = (name: string) => String(fields.get(name) ?? '').trim();
  const coin = field('coin');
  const [asset = '', network = ''] = coin ? [coin, field(`network_${coin}`)] : field('option').split('_');
  const choice = { pay_asset: asset, pay_network: network.toLowerCase() };
  const { session } = page.shown();

  if (kind === 'choose') {
    page.show({ exchange: field('exchange') !== '' });
  }
  if (kind === 'choose' && isRouted(session, choice)) {
    page.show({ choice: { asset, network: choice.pay_network }, view: 'auto', error: null, typed: '', wallet: null });
    focusOn(page.root, '.stage h2');
    return;
  }
  void busy(form, page, async (): Promise<PublicSession | undefined> => {
    switch (kind) {
      case 'choose':
        return paySession(session.id, choice);
      case 'refund':
        return paySession(session.id, { ...choice, refund_address: field('refund_address') });
      case 'test':
        return actOnTestSession(session.id, field('action'));
      case 'transaction': {
        const hash = field('tx_hash');
        const claim = field('wallet')
          ? await (await import('./use-wallet.ts')).signClaim(page, field('wallet'), hash)
          : undefined;
        await noticeTransaction(session.id, hash, claim);
        page.show({ noticed: true, typed: hash, error: null, claim: null });
      }
    }
    return undefined;
  });
}

function click(event: MouseEvent, page: LivePage): void {
  const place = (event.target as Element).closest<HTMLElement>('[data-do]');
  const wallet = place?.dataset.wallet ?? '';
  switch (place?.dataset.do) {
    case 'language': {
      // The address of this step, which may not be the one that was served.
      const link = event.target as HTMLAnchorElement;
      const query = new URLSearchParams(location.search);
      query.set('lang', link.lang);
      link.search = `${query}`;
      break;
    }
    case 'view':
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      page.show({
        view: place.dataset.view === 'choose' ? 'choose' : 'auto',
        choice: null,
        error: null,
        wallet: null,
      });
      focusOn(page.root, '.stage h2');
      return;
    case 'wallet-cancel':
      cancelScan();
      return;
    case 'wallet-pay':
      void withWallets(page, ({ payByWallet }) => payByWallet(page, wallet));
      return;
    case 'wallet-sign':
      void withWallets(page, ({ payByWallet }) => payByWallet(page, wallet, { isSigned: true }));
      return;
    case 'wallet-address':
      void withWallets(page, ({ fillInAddress }) => fillInAddress(page, wallet));
      return;
    case 'wallet-choose': {
      const [asset = '', network = ''] = (place?.dataset.option ?? '').split('_');
      const choice = { pay_asset: asset, pay_network: network.toLowerCase() };
      void withWallets(page, ({ chooseByWallet }) => chooseByWallet(page, wallet, choice));
    }
  }
}

let isLoading = false;

/** Code for wallets is loaded when one is used: most customers scan a code. Clicks are ignored while it loads. */
async function withWallets(
  page: LivePage,
  act: (actions: typeof import('./use-wallet.ts')) => Promise<void>,
): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    const actions = await import('./use-wallet.ts').finally(() => {
      isLoading = false;
    });
    await act(actions);
  } catch {
    page.show({ wallet: failedStep(new WalletError('wallet_failed')) });
  }
}

function isRouted({ options }: PublicSession, choice: { pay_asset: string; pay_network: string }): boolean {
  return options.some(
    (option) => option.kind === 'routed' && option.asset === choice.pay_asset && option.network === choice.pay_network,
  );
}

/** One request at a time: disables the form while it is sent, and shows the error. */
async function busy(
  form: HTMLFormElement,
  page: LivePage,
  act: () => Promise<PublicSession | undefined>,
): Promise<void> {
  if (form.ariaBusy === 'true') return;
  form.ariaBusy = 'true';
  const stage = page.root.querySelector('[data-stage]')?.getAttribute('data-stage');
  try {
    const session = await act();
    if (!session) return;
    page.show({
      session,
      view: 'auto',
      choice: null,
      error: null,
      typed: '',
      repriced: false,
      wallet: null,
      claim: null,
    });
    if (page.root.querySelector('[data-stage]')?.getAttribute('data-stage') !== stage) focusOn(page.root, '.stage h2');
  } catch (error) {
    const typed = form.querySelector<HTMLInputElement>('input:is([name=refund_address], [name=tx_hash])')?.value ?? '';
    page.show({ ...failure(error), typed });
    focusOn(page.root, '[aria-invalid]');
  } finally {
    form.ariaBusy = null;
  }
}

/** The state that shows an error. Of the wallets, a form asks only for the signature of a claim. */
function failure(error: unknown): Partial<CheckoutPage> {
  if (error instanceof WalletError) return { error: null, claim: failedStep(error) };
  if (error instanceof RefusedError) return { error: { code: error.code, param: error.param }, claim: null };
  if (error instanceof TypeError) return { error: null, offline: true, claim: null };
  return { error: { code: '', param: null }, claim: null };
}

/** After a change of stage the focus moves to the new content. */
function focusOn(root: HTMLElement, selector: string): void {
  requestAnimationFrame(() => {
    const place = root.querySelector<HTMLElement>(selector);
    if (place && !/^(INPUT|BUTTON|A)$/.test(place.tagName)) place.tabIndex = -1;
    place?.focus();
  });
}
