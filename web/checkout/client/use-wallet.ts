import { familyOf } from '../../networks/networks.ts';
import { type Choice, noticeTransaction, paySession, readSession, RefusedError, type SignedClaim } from '../api.ts';
import { isPositive, plainAmount } from '../money.ts';
import type { PublicSession, WalletStep } from '../page-state.ts';
import type { LivePage } from './live-page.ts';
import { claimNetwork } from '../stages/already-sent.tsx';
import { WALLET_CONNECT } from '../wallet-choice.tsx';
import { failedStep, WalletError } from '../wallets/problem.ts';
import { findWallet, isPayable, startScan } from './wallets.ts';

/** Pays with a wallet from the connection to the transaction, and shows each step. */
export async function payByWallet(page: LivePage, id: string, { isSigned = false } = {}): Promise<void> {
  if (id === WALLET_CONNECT) return payByRelay(page);
  const wallet = findWallet(page, id);
  if (!wallet) return;
  await guided(
    page,
    async ({ report, show }) => {
      report('connecting');
      const session = await unchanged(page);
      const sent = (hash: string | null) => isOwed(page, session) && show({ step: 'sent', hash });
      const guide = {
        report,
        check: () => unchanged(page, session),
        taken: () => sent(null),
      };
      if (isSigned && wallet.family === 'evm')
        return (await import('./sign-payment.ts')).payBySignature(page, wallet.provider, { session, ...guide });
      const hash =
        wallet.family === 'evm'
          ? await (await import('../wallets/ethereum.ts')).payByEthereum(wallet.provider, session, guide)
          : await (await import('../wallets/solana.ts')).payBySolana(wallet.wallet, session, guide);
      if (hash === null) return;
      sent(hash);
      // The watcher finds it anyway; this is only faster.
      await noticeTransaction(session.id, hash).catch(() => undefined);
    },
    wallet.name,
  );
}

/** Pays with a wallet on another device. What it needs is loaded now, because few customers do. */
async function payByRelay(page: LivePage): Promise<void> {
  const name = 'WalletConnect';
  const signal = startScan();
  await guided(
    page,
    async ({ report, proceed, show }) => {
      report('connecting');
      const { walletConnect } = page.shown();
      const session = await unchanged(page);
      if (!walletConnect) throw new WalletError('wallet_failed');
      const { payByWalletConnect } = await import('../wallets/wallet-connect.ts');
      const hash = await payByWalletConnect(walletConnect, session, {
        signal,
        show: (uri) => proceed({ step: 'scan', wallet: name, uri }),
        report,
        check: () => unchanged(page, session),
      }).catch((error) => {
        if (!signal.aborted) throw error;
        proceed(null);
      });
      if (!hash) return;
      if (isOwed(page, session)) show({ step: 'sent', hash });
      await noticeTransaction(session.id, hash).catch(() => undefined);
    },
    name,
  );
}

/** A wallet may say which transaction it is after the service has seen its money. */
function isOwed(page: LivePage, { payment }: PublicSession): boolean {
  const [before, now] = [payment, page.shown().session.payment].map((one) => plainAmount(one?.amount_seen ?? '0'));
  return before === now;
}

/** Chooses with the wallet connected: its transaction carries the reference, so no exact amount is needed. */
export async function chooseByWallet(page: LivePage, id: string, choice: Choice): Promise<void> {
  await withAddress(page, id, async (sender) => {
    try {
      const session = await paySession(page.shown().session.id, { ...choice, sender });
      page.show({ session, view: 'auto', choice: null, error: null, wallet: null });
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      page.show({ error: { code: error.code, param: error.param }, wallet: null });
    }
  });
}

/** Fills in the wallet's own address for a refund. */
export async function fillInAddress(page: LivePage, id: string): Promise<void> {
  await withAddress(page, id, async (address) => page.show({ typed: address, error: null, wallet: null }));
}

async function withAddress(page: LivePage, id: string, act: (address: string) => Promise<void>): Promise<void> {
  const wallet = findWallet(page, id);
  if (!wallet) return;
  await guided(
    page,
    async ({ report }) => {
      report('connecting');
      const address =
        wallet.family === 'evm'
          ? await (await import('../wallets/ethereum.ts')).connectEthereum(wallet.provider)
          : await (await import('../wallets/solana.ts')).solanaAddress(wallet.wallet);
      report('connecting');
      await act(address);
    },
    wallet.name,
  );
}

/** The sender's signature that their transaction was for this session. `typed` is its hash, or a link that contains it. */
export async function signClaim(page: LivePage, id: string, typed: string): Promise<SignedClaim | undefined> {
  const [hash = typed] = typed.match(/[0-9A-Za-z]{64,}/) ?? [];
  const wallet = findWallet(page, id);
  const { session } = page.shown();
  const network = claimNetwork(page.shown());
  if (!wallet) return undefined;
  page.show({ claim: { step: 'signing', wallet: wallet.name }, error: null });
  const text = [
    'Quittance payment claim',
    `Session: ${session.id}`,
    `Network: ${network}`,
    `Transaction: ${familyOf(network) === 'evm' ? hash.toLowerCase() : hash}`,
  ].join('\n');
  return wallet.family === 'evm'
    ? (await import('../wallets/ethereum.ts')).signByEthereum(wallet.provider, text)
    : (await import('../wallets/solana.ts')).signBySolana(wallet.wallet, text);
}

/**
 * Reads the session again before paying: it must still ask for what this one asked for, in time. An amount whose time
 * is over is renewed by the page.
 */
export async function unchanged(page: LivePage, { payment: asked } = page.shown().session): Promise<PublicSession> {
  const session = await readSession(page.shown().session.id);
  const { payment: now } = session;
  const isSame = SAME.every((key) => now?.[key] === asked?.[key]);
  if (!now || !isSame || !isPayable({ ...page.shown(), session })) {
    page.show({ session });
    throw new WalletError('error_state');
  }
  const { quote_expires_at: end, amount_seen: seen } = now;
  if (end && !isPositive(seen) && Date.parse(end) <= Date.parse(session.server_time))
    throw new WalletError('error_other');
  return session;
}

const SAME = ['address', 'amount', 'amount_due', 'amount_seen'] as const;

type Report = (step: 'connecting' | 'network' | 'checking' | 'confirm' | 'signing' | 'sending') => void;

interface Attempt {
  report: Report;
  /** Shows the next step. Throws if the customer has left the attempt: then the wallet must not be asked any more. */
  proceed(wallet: WalletStep | null): void;
  /** Shows a step, whatever the page shows by now: what was sent must be said. */
  show(wallet: WalletStep | null): void;
}

/** Each attempt writes over its own steps only. */
async function guided(page: LivePage, act: (attempt: Attempt) => Promise<unknown>, name: string): Promise<void> {
  let own = page.shown().wallet;
  const isLeft = () => page.shown().wallet !== own;
  const show = (wallet: WalletStep | null) => {
    own = wallet;
    page.show({ wallet, error: null });
  };
  const proceed = (wallet: WalletStep | null) => {
    if (isLeft()) throw new WalletError('wallet_failed');
    show(wallet);
  };
  try {
    await act({ report: (step) => proceed({ step, wallet: name }), proceed, show });
  } catch (error) {
    const problem = error instanceof WalletError ? error : new WalletError('wallet_failed');
    // What may have been sent is said also to who has left, but not in place of another attempt.
    const isOpen = problem.key === 'wallet_unknown' && !page.shown().wallet;
    if (isOpen || !isLeft()) show(failedStep(problem));
  }
}
