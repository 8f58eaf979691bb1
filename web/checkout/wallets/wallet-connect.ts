import { networkName } from '../networks.ts';
import type { PublicSession } from '../page-state.ts';
import { problemOf, WalletError } from './problem.ts';
import { ethereumTransfer } from './transfer.ts';
import { connectWallet } from './wallet-connect/session.ts';

/**
 * Pays with a wallet on another device. It checks the balance itself: the page cannot, because it may talk to this
 * service and the relay only. Returns the transaction's hash.
 */
export async function payByWalletConnect(
  relay: { projectId: string; relayUrl: string },
  { payment, merchant }: PublicSession,
  tell: { signal: AbortSignal; show: (uri: string) => void; confirm: () => void },
): Promise<string> {
  const transfer = payment && ethereumTransfer(payment);
  if (!transfer) throw new WalletError('wallet_failed');
  const network = networkName(payment.network);
  const session = await connectWallet({
    ...relay,
    chainId: transfer.chainId,
    metadata: {
      name: merchant.name ?? location.host,
      description: location.host,
      url: location.origin,
      icons: [],
    },
    signal: tell.signal,
    show: tell.show,
  }).catch((error) => {
    throw problemOf(error, { network });
  });
  tell.confirm();
  try {
    const { to, data, value } = transfer;
    return String(await session.request('eth_sendTransaction', [{ from: session.account, to, data, value }]));
  } catch (error) {
    throw problemOf(error, { network, isSending: true });
  } finally {
    await session.end();
  }
}
