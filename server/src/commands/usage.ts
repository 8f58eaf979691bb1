/** The command line does not say what the command needs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** As Node's own parser marks its errors, so that both end in the same message. */
  readonly code = 'ERR_PARSE_ARGS_USAGE';
}
