import { useEffect, useRef, useState } from 'react';
import { familyOf } from '../../../networks/networks.ts';
import type { Others } from '../../lib/send-held.ts';
import type { SendingJson } from '../../lib/types.ts';
import { type BrowserWallet, type ConnectedWallet, watchWallets } from '../../lib/wallets.ts';

/** What a person has agreed to: to these addresses, and to sending in place of another browser. */
export interface Agreed {
  addresses: ReadonlySet<string>;
  takenOver: ReadonlySet<string>;
}

/** What a person is asked before a wallet: about addresses that no one has confirmed, and what other browsers have. */
export interface Question {
  doubted: SendingJson['refunds'];
  others: Others;
}

/** Lets the wallet send, or returns what a person is asked first. */
type Send = (connected: ConnectedWallet, agreed: Agreed) => Promise<Question | null>;

/** What happened since the merchant chose a wallet. */
interface State {
  /** The wallet that was asked for an account. It may never answer. */
  connecting?: string;
  isSending?: boolean;
  error?: unknown;
  /** Connected with another account than a payout wallet's, so sending needs another confirmation. */
  foreign?: ConnectedWallet;
  asked?: Question & { connected: ConnectedWallet; agreed: Agreed };
}

const NOTHING: Agreed = { addresses: new Set(), takenOver: new Set() };

/** The wallets of this browser for a network. One of the merchant's accounts sends at once. */
export function useSending(network: string, isOwn: (address: string) => boolean, send: Send) {
  const family = familyOf(network);
  const [wallets, setWallets] = useState<BrowserWallet[]>([]);
  const [state, setState] = useState<State>({});
  useEffect(() => watchWallets(setWallets), []);
  // A wallet may connect after the view was left, or after another wallet was chosen.
  const attempt = useRef(0);
  useEffect(
    () => () => {
      attempt.current += 1;
    },
    [],
  );
  const sendFrom = async (connected: ConnectedWallet, agreed = NOTHING) => {
    setState({ isSending: true });
    try {
      const question = await send(connected, agreed);
      setState(question ? { asked: { ...question, connected, agreed } } : {});
    } catch (error) {
      setState({ error });
    }
  };
  const start = async (wallet: BrowserWallet) => {
    attempt.current += 1;
    const own = attempt.current;
    setState({ connecting: wallet.name });
    try {
      const connected = await wallet.connect();
      if (attempt.current !== own) return;
      if (isOwn(connected.address)) await sendFrom(connected);
      else setState({ foreign: connected });
    } catch (error) {
      if (attempt.current === own) setState({ error });
    }
  };
  return {
    wallets: wallets.filter((one) => one.family === family),
    ...state,
    start,
    sendFrom,
    /** To what was asked, which is what was shown: there may be more by now. */
    agree: async () => {
      if (state.asked) await sendFrom(state.asked.connected, agreedTo(state.asked));
    },
  };
}

function agreedTo({ agreed, doubted, others }: NonNullable<State['asked']>): Agreed {
  const more = (known: ReadonlySet<string>, shown: readonly { id: string }[]) =>
    new Set([...known, ...shown.map(({ id }) => id)]);
  return { addresses: more(agreed.addresses, doubted), takenOver: more(agreed.takenOver, others) };
}

export function isSameAddress(one: string, other: string): boolean {
  return one === other || (one.startsWith('0x') && one.toLowerCase() === other.toLowerCase());
}
