import { type AnnouncedWallet, watchAnnounced } from '../wallets/announced.ts';
import { signText as signByEthereum } from '../wallets/ethereum.ts';
import { base58, shareAccount, signText as signBySolana } from '../wallets/solana.ts';
import { type Catalog, translator } from './i18n/messages.ts';
import type { RefundPage } from './renderer.ts';
import { connectEthereum } from './wallets/ethereum.ts';
import { problemOf } from './wallets/problem-of.ts';
import { WalletError } from './wallets/problem.ts';

/** Offers the wallets of this browser: the one that paid signs, and the form is sent as if it was typed. */
function offerWallets(form: HTMLFormElement, { page, catalog }: { page: RefundPage; catalog: Catalog }): void {
  const t = translator(page.locale, catalog);
  const { sign } = page;
  const list = form.querySelector<HTMLElement>('.wallets');
  const status = form.querySelector<HTMLElement>('[role=status]');
  if (!sign || !list || !status) return;
  let isBusy = false;
  const use = async (wallet: AnnouncedWallet) => {
    if (isBusy) return;
    isBusy = true;
    status.textContent = t('wallet_signing', { wallet: wallet.name });
    try {
      const signed = await signWith(wallet, sign);
      for (const [name, value] of Object.entries(signed))
        form.querySelector<HTMLInputElement>(`input[name=${name}]`)?.setAttribute('value', value);
      form.submit();
    } catch (error) {
      const problem = error instanceof WalletError ? error : problemOf(error);
      status.textContent = problem.key === 'error_state' ? t('refund_wrong_wallet') : t(problem.key, problem.values);
      isBusy = false;
    }
  };
  watchAnnounced(['standard:connect', 'solana:signMessage'], (wallets) => {
    const able = wallets.filter(({ family }) => family === sign.family);
    form.hidden = able.length === 0;
    list.replaceChildren(
      ...able.map((wallet) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'wallet';
        if (wallet.icon) {
          const icon = Object.assign(new Image(24, 24), { src: wallet.icon, alt: '', className: 'wallet-icon' });
          button.append(icon);
        }
        button.append(t('sent_sign', { wallet: wallet.name }));
        button.addEventListener('click', () => void use(wallet));
        return button;
      }),
    );
  });
}

/** Another wallet than those that paid is not asked to sign. */
async function signWith(wallet: AnnouncedWallet, { payers, text }: NonNullable<RefundPage['sign']>) {
  if (wallet.family === 'evm') {
    const account = await connectEthereum(wallet.provider);
    const address = payers.find((payer) => payer.toLowerCase() === account.toLowerCase());
    if (address === undefined) throw new WalletError('error_state');
    return { address, signature: await signByEthereum(wallet.provider, account, text.replace('{address}', address)) };
  }
  const account = await shareAccount(wallet.wallet);
  if (!account) throw new WalletError('wallet_locked');
  const { address } = account;
  if (!payers.includes(address)) throw new WalletError('error_state');
  const signature = await signBySolana(wallet.wallet, account, text.replace('{address}', address));
  if (!signature) throw new WalletError('wallet_failed');
  return { address, signature: base58(signature) };
}

// As in `served.ts`, which this page has in place of this script where no wallet can sign.
history.replaceState(null, '', location.pathname + location.search);
const form = document.getElementById('refund-sign');
const state = document.getElementById('page-state')?.textContent;
if (form instanceof HTMLFormElement && state) offerWallets(form, JSON.parse(state));
