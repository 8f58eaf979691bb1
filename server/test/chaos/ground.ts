/** The chains that customers pay on while the worker is killed. */
export interface Ground extends AsyncDisposable {
  /** The service's settings for them. */
  env: Record<string, string>;
  /** Payout wallets of the merchant, to be saved. */
  wallets: { asset: string; network: string; address: string }[];
  /** Sends what a payment asks for, by amount, by reference or in two parts. Answers the transactions' hashes. */
  send(order: {
    asset: string;
    network: string;
    address: string;
    payment: { amount: string; tag: string | null; reference: string };
  }): Promise<string[]>;
  /** A block or more, somewhere. */
  mine(): Promise<void>;
  /** As many blocks as it takes for everything to be final. */
  settle(): Promise<void>;
}
