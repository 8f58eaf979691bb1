import { NETWORKS, type Network } from '@quittance/contract';

const FORMS = {
  evm: /^0x[0-9a-fA-F]{40}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  bitcoin: /^(bc1[02-9ac-hj-np-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  tron: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
};

/** Whether a provider would accept the text as an address of the network, by its form. */
export function isRefundAddress(network: Network, text: unknown): boolean {
  return typeof text === 'string' && FORMS[NETWORKS[network].family].test(text);
}
