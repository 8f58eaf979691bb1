import { MINUTE_MS } from '../../platform/time.ts';

const MAX_LOOKS_A_MINUTE = 300;

/** Transactions that are looked up for an account, such as those of a refund. */
interface Looked {
  accountId: string;
  network: string;
  txHash: string | null;
  otherHashes: string[];
}

/** How many transactions were looked up for each account in this minute. Each process counts its own. */
export class LookBudget {
  readonly #looks = new Map<string, number>();
  #beganMs = 0;

  /** The accounts that wait for the next minute. */
  usedUp(now: Date): string[] {
    const passedMs = now.getTime() - this.#beganMs;
    // A clock that begins again, as in a simulation, begins a minute too.
    if (passedMs < 0 || passedMs >= MINUTE_MS) {
      this.#looks.clear();
      this.#beganMs = now.getTime();
    }
    return [...this.#looks].flatMap(([account, looks]) => (looks < MAX_LOOKS_A_MINUTE ? [] : [account]));
  }

  /** Counts what is looked up. A turn of a job may take more than the account has left: it looks up all that it has leased. */
  spend(looked: readonly Looked[]): void {
    for (const [account, own] of Map.groupBy(looked, ({ accountId }) => accountId)) {
      const asked = own.flatMap(({ network, txHash, otherHashes }) =>
        [txHash, ...otherHashes].map((hash) => `${network} ${hash}`),
      );
      this.#looks.set(account, (this.#looks.get(account) ?? 0) + new Set(asked).size);
    }
  }
}
