import { type Dialect, eachObject, withoutFailedLogs } from '../rpc/dialect.ts';

/**
 * Tempo's dialect of Ethereum's JSON-RPC. Its own kind of transaction makes several calls at once and has no recipient
 * and no input of its own: it is read as the only call, or as one that contains them all. Every transaction logs its fee,
 * also one that failed.
 */
export const TEMPO: Dialect = {
  translate: (result) =>
    eachObject(result, (raw) => withoutFailedLogs(isOwn(raw) ? { ...raw, ...asOneCall(raw.calls) } : raw)),
};

/** Frames of traces have calls too. */
function isOwn(raw: Record<string, unknown>): raw is { calls: readonly unknown[] } {
  return raw.type === '0x76' && Array.isArray(raw.calls);
}

interface TempoCall {
  to?: unknown;
  value?: unknown;
  input?: unknown;
  data?: unknown;
}

/** What is unreadable stays so, for the parser to name. */
function asOneCall(calls: readonly unknown[]): { to: unknown; value: unknown; input: unknown } {
  const inputs = calls.map((call) => (call as TempoCall | null)?.input ?? (call as TempoCall | null)?.data ?? '0x');
  const [only] = calls as (TempoCall | null)[];
  return {
    to: calls.length === 1 ? (only?.to ?? null) : null,
    // Tempo has no native coin that a call could move.
    value: '0x0',
    input: inputs.every((input) => typeof input === 'string')
      ? `0x${inputs.map((input) => input.slice(2)).join('')}`
      : null,
  };
}
