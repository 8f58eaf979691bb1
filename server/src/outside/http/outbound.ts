import type { Buffer } from 'node:buffer';

/** Sends requests to addresses that strangers named. Every connection is judged first; nothing is ever followed. */
export interface Outbound {
  /** Posts once, within one deadline for the whole exchange. Never throws: what went wrong is the answer. */
  post(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Why nothing may be sent to this URL, in a sentence for whoever named it; or null. A name that does not resolve yet is no objection. */
  objectTo(url: string): Promise<string | null>;
  /** Ends all connections of this owner, those being made included, and opens none for it again. */
  drop(owner: string): void;
  close(): Promise<void>;
}

export interface OutboundRequest {
  /** Connections are kept open and shared within one owner only. */
  owner: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  timeoutMs: number;
  /** How much of the answer's body is kept; what is usual for a log unless given, and never more than 16 kB. */
  keptBytes?: number;
}

export type OutboundAnswer =
  /** The receiver answered; `body` is the beginning of what it said, cleaned of control characters. */
  | { status: number; body: string; error: null; durationMs: number }
  | { status: null; body: null; error: OutboundError; durationMs: number };

/** Why there was no HTTP answer. `dropped` is our own doing. */
export type OutboundError =
  | 'blocked_address'
  | 'name_not_resolved'
  | 'connection_refused'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'
  | 'invalid_response'
  | 'dropped';
