/** The chains that customers pay on while the worker is killed. */
export interface Ground extends AsyncDisposable {
  /** The service's settings for them. */
  env: Record<string, string>;
  /** The merchant's payout wallets. */
  wallets: { asset: string; network: string; address: string }[];
  /** Pays an order by amount, by reference or in two parts. Returns the transactions' hashes. */
  send(order: {
    asset: string;
    network: string;
    address: string;
    payment: { amount: string; tag: string | null; reference: string };
  }): Promise<string[]>;
  /** Mines a block or more on one of the chains. */
  mine(): Promise<void>;
  /** Mines until everything is final. */
  settle(): Promise<void>;
}
