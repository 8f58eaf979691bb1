import type { PrivateKeyAccount } from 'viem/accounts';
import { createWalletClient, defineChain, http, publicActions } from 'viem';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { registerExactSvmScheme } from '@x402/svm/exact/facilitator';
import type { SolanaSettle } from '@quittance/server/testing/solana/machine-shop';
import type { Settle } from '@quittance/server/testing/machine-shop';
import type { TestChain } from '@quittance/server/testing/anvil';

/** The published facilitator with a local key, on a local chain. It waits for the receipt before it answers. */
export const publishedFacilitator: Settle = ({ chain, sender }) => {
  const client = clientOf(chain, sender);
  let noteBroadcast: (() => void) | undefined;
  const writeContract = async (request: Parameters<typeof client.writeContract>[0]) => {
    const hash = await client.writeContract(request);
    noteBroadcast?.();
    return hash;
  };
  const facilitator = registerExactEvmScheme(new x402Facilitator(), {
    signer: toFacilitatorEvmSigner({ ...client, writeContract, address: sender.address } as never),
    networks: `eip155:${chain.chainId}`,
  });
  return (payload, requirements, onBroadcast) => {
    noteBroadcast = onBroadcast;
    return facilitator.settle(payload, requirements);
  };
};

export function clientOf(chain: TestChain, account: PrivateKeyAccount) {
  const local = defineChain({
    id: chain.chainId,
    name: 'Local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [chain.url] } },
  });
  return createWalletClient({ account, chain: local, transport: http(chain.url), pollingInterval: 100 }).extend(
    publicActions,
  );
}

/** The published facilitator of Solana, which signs as the fee payer and waits until its transaction is confirmed. */
export const publishedSolanaFacilitator: SolanaSettle = (cluster, sponsor) => {
  const facilitator = registerExactSvmScheme(new x402Facilitator(), {
    signer: toFacilitatorSvmSigner(sponsor as never, { defaultRpcUrl: cluster.url }),
    networks: `solana:${cluster.genesisHash.slice(0, 32)}`,
  });
  return (payload, requirements) => facilitator.settle(payload, requirements);
};
