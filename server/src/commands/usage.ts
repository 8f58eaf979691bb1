/** The command line lacks what the command needs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Node's own parser uses this code too, so both errors end in the same message. */
  readonly code = 'ERR_PARSE_ARGS_USAGE';
}
