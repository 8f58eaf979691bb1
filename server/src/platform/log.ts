import { type DestinationStream, type Logger, pino } from 'pino';
import { alarms } from './metrics.ts';

// By the names that secrets and people's addresses go by here; a path per depth, because pino matches whole paths.
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
/** One JSON line per thing that happened, on standard output; secrets and addresses of people left out. */
export function createLogger(level: string, out?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: undefined,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: plainError, cause: plainError },
      hooks: {
        logMethod(args, method) {
          const alarm = (args[0] as { alarm?: unknown } | undefined)?.alarm;
          if (typeof alarm === 'string') alarms.inc({ alarm });
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

// `code` says what kind an error is (ECONNREFUSED), elsewhere it is a login code.
const KIND_OF_ERROR = '*["code"]';

interface PlainError {
  type: string;
  message: string;
  code?: unknown;
  stack?: string;
  cause?: PlainError;
}

/** What an error says and where it was, without what libraries hang on it: a driver's holds its whole connection, values and all. */
function plainError(error: unknown, depth = 0): PlainError | unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && depth < 4 && { cause: plainError(cause, depth + 1) }),
  };
}
