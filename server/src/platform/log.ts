import { type DestinationStream, type Logger, pino } from 'pino';
import { isUnavailable } from './db/unavailable.ts';
import { alarms } from './metrics.ts';

// The field names of secrets and of people's addresses in this service; one path per depth, because pino matches whole
// paths.
const SECRET_NAMES = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'token',
  'session_token',
  'sessionToken',
  'code',
  'signature',
  'apiKey',
  'masterKey',
  'databaseUrl',
  'databaseDirectUrl',
  'redisUrl',
  'smtpUrl',
  'email',
  'connectionString',
];
/** What a mail says of an alarm. Errors of providers are left out: the address in them may have a key. */
export interface RaisedAlarm {
  alarm: string;
  message: string;
  facts: Record<string, string>;
  /** How often it was raised since the last mail. */
  times: number;
  /** When its mail was first due, by the database's clock. */
  seenAt?: Date;
}

/** The newest of each alarm and network. */
export type RaisedAlarms = Map<string, RaisedAlarm>;

const FACTS = ['network', 'provider', 'pair', 'failed', 'paymentId', 'transferId', 'walletId', 'orderId', 'txHash'];

/** One JSON line per event, on standard output, without secrets and people's addresses. */
export function createLogger(
  level: string,
  { out, raised }: { out?: DestinationStream; raised?: RaisedAlarms } = {},
): Logger {
  return pino(
    {
      level,
      base: undefined,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: plainError, cause: plainError },
      hooks: {
        logMethod(args, method) {
          noteAlarm(args, raised, this);
          method.apply(this, args);
        },
      },
      redact: {
        paths: SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`]).filter((path) => path !== KIND_OF_ERROR),
        censor: '[redacted]',
      },
    },
    out ?? pino.destination(1),
  );
}

function noteAlarm([fields, message]: unknown[], raised: RaisedAlarms | undefined, log: Logger): void {
  const { alarm, ...said } = (fields ?? {}) as Record<string, unknown>;
  if (typeof alarm !== 'string') return;
  alarms.inc({ alarm });
  // A chain's logger has its network.
  const rest: Record<string, unknown> = { ...log.bindings(), ...said };
  const facts = Object.fromEntries(FACTS.filter((name) => rest[name]).map((name) => [name, String(rest[name])]));
  const name = [alarm, facts.network].join(' ').trim();
  raised?.set(name, { alarm, message: String(message), facts, times: (raised.get(name)?.times ?? 0) + 1 });
}

// `code` is the kind of an error (ECONNREFUSED), and elsewhere a login code.
const KIND_OF_ERROR = '*["code"]';

interface PlainError {
  type: string;
  message: string;
  code?: unknown;
  stack?: string;
  cause?: PlainError;
}

/**
 * An error's message and stack, without what libraries attach: a driver's error contains its whole connection,
 * including values. Where the code was when something could not be reached explains nothing, and an outage would fill
 * the log with the stacks of a few jobs.
 */
function plainError(error: unknown, depth = 0): PlainError | unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    ...(stack !== undefined && !isUnavailable(error) && { stack }),
    ...(cause !== undefined && depth < 4 && { cause: plainError(cause, depth + 1) }),
  };
}
