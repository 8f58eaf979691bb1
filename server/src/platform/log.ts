import { type Logger, pino } from 'pino';

// By the names that secrets and people's addresses go by here; a path per depth, because pino matches whole paths.
const SECRET_NAMES = [
  'authorization', 'cookie', 'set-cookie', 'password', 'secret', 'token', 'session_token', 'sessionToken', 'code', 'signature',
  'apiKey', 'masterKey', 'databaseUrl', 'databaseDirectUrl', 'redisUrl', 'smtpUrl', 'email', 'connectionString',
];
// `code` of an error is its kind (ECONNREFUSED), not a login code.
const NOT_IN_ERRORS = SECRET_NAMES.filter((name) => name !== 'code');

/** One JSON line per thing that happened, on standard output; secrets and addresses of people left out. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [...SECRET_NAMES, ...SECRET_NAMES.map((name) => `req.headers["${name}"]`), ...NOT_IN_ERRORS.map((name) => `*["${name}"]`)],
      censor: '[redacted]',
    },
  });
}
