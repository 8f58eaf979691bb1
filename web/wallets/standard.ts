import type { getWallets } from '@wallet-standard/app';

/** A wallet as the Wallet Standard announces it. */
export type Wallet = ReturnType<ReturnType<typeof getWallets>['get']>[number];
export type WalletAccount = Wallet['accounts'][number];
