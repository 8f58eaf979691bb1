import type { Buffer } from 'node:buffer';

/**
 * Sends requests to URLs that strangers configured. Every connection is checked first, and redirects are never
 * followed.
 */
export interface Outbound {
  /** Posts once, within one deadline for the whole exchange. Never throws: the answer contains the error. */
  post(request: OutboundRequest): Promise<OutboundAnswer>;
  /**
   * Why nothing may be sent to this URL, as a sentence for the user who configured it; or null. Names are not resolved:
   * the answer would say which of them exist inside this network. Every connection checks the addresses.
   */
  objectionTo(url: string): string | null;
  /** Closes all connections of this owner, including pending ones, and opens no new ones. */
  drop(owner: string): void;
  close(): Promise<void>;
}

export interface OutboundRequest {
  /** Connections are kept alive and shared within one owner only. */
  owner: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  timeoutMs: number;
  /** How much of the answer's body is kept; what is usual for a log unless given, and never more than 16 kB. */
  keptBytes?: number;
}

export type OutboundAnswer =
  /** The receiver answered. `body` is the beginning of its response without control characters. */
  | { status: number; body: string; error: null; durationMs: number }
  | { status: null; body: null; error: OutboundError; durationMs: number };

/** Why there was no HTTP response. `dropped` is caused by the service itself. */
export type OutboundError =
  | 'blocked_address'
  | 'name_not_resolved'
  | 'connection_refused'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'
  | 'invalid_response'
  | 'dropped';
