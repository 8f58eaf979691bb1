import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Logger } from 'pino';
import type { Config, NetworkConfig } from '../../config.ts';
import type { Chain } from './chain.ts';
import { createEvmChain } from './evm/chain.ts';
import { createSolanaChain } from './solana/chain.ts';
import { TEMPO } from './tempo/dialect.ts';
import { createTronChain } from './tron/chain.ts';

/** Every live network with at least one configured provider. */
export function createChains(
  config: Pick<Config, 'networks'> & Partial<Pick<Config, 'profile'>>,
  log: Logger,
): Map<ReceiveNetwork, Chain> {
  const chains = new Map<ReceiveNetwork, Chain>();
  for (const network of RECEIVE_NETWORKS) {
    const settings = config.networks[network];
    if (settings.rpcUrls.length === 0) continue;
    if (settings.rpcUrls.length === 1 && config.profile === 'production')
      log.warn(
        { network },
        'network has one provider, which settles alone and without a cap: configure three of different operators',
      );
    chains.set(network, createChain(network, settings, log));
  }
  return chains;
}

function createChain(network: ReceiveNetwork, settings: NetworkConfig, log: Logger): Chain {
  switch (network) {
    case 'solana':
      return createSolanaChain(settings, log);
    case 'tron':
      return createTronChain(settings, log);
    case 'tempo':
      return createEvmChain({ network, ...settings, dialect: TEMPO }, log);
    default:
      return createEvmChain({ network, ...settings }, log);
  }
}
