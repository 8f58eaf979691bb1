import * as contract from '@quittance/contract/assets';

export const COIN_NAMES: Record<string, string> = contract.COIN_NAMES;
