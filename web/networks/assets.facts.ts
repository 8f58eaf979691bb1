import * as contract from '@quittance/contract/assets';

export const COIN_NAMES: Record<string, string> = contract.COIN_NAMES;

// What pages show of the Safe List.
export const PAY_ASSETS = contract.PAY_ASSETS.map(shown);
export const RECEIVE_ASSETS = contract.RECEIVE_ASSETS.map(shown);

function shown({ key, asset, network }: contract.Asset): Pick<contract.Asset, 'key' | 'asset' | 'network'> {
  return { key, asset, network };
}
