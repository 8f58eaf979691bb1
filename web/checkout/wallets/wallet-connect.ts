import { networkName } from '../../networks/networks.ts';
import type { PublicSession } from '../page-state.ts';
import type { Guide } from './ethereum.ts';
import { WalletError } from './problem.ts';
import { problemOf } from './problem-of.ts';
import { ethereumTransfer } from '../../wallets/transfer.ts';
import { connectWallet } from './wallet-connect/session.ts';

/**
 * Pays with a wallet on another device. It checks the balance itself: the page cannot, because it may talk to this
 * service and the relay only. Returns the transaction's hash.
 */
export async function payByWalletConnect(
  relay: { projectId: string; relayUrl: string },
  { payment, merchant }: PublicSession,
  { signal, show, report, check }: Guide & { signal: AbortSignal; show: (uri: string) => void },
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
    signal,
    show,
  }).catch((error) => {
    throw problemOf(error, { network });
  });
  try {
    // The scan may have taken minutes.
    await check();
    report('confirm');
    const { to, data, value } = transfer;
    const call = { from: session.account, to, data, value };
    const hash = await session.request('eth_sendTransaction', [call]).catch((error) => {
      throw problemOf(error, { network, isSending: true });
    });
    return String(hash);
  } finally {
    // Not waited for: a relay that is out of reach by now would hold back what the wallet has answered.
    void session.end();
  }
}
