import type { BenchDatabase } from './database.ts';
import type { Service } from './service.ts';

/** The input of every bench. */
export interface Bench {
  database: BenchDatabase;
  service: Service;
  /** How long each measurement lasts. */
  seconds: number;
  /** The size of the large account, where a bench has one. */
  rows: number;
  /** How often queues take turns, and with how many deliveries each. */
  rounds: number;
  deliveries: number;
  /** How long a snapshot is held, where a bench holds one. */
  minutes: number;
  /** Numbers of open sessions, where a bench has several. */
  open: readonly number[];
  say: (line: string) => void;
}
