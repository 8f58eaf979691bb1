import type { FailedTransactionMetadata } from 'litesvm';

/** A transaction's error as nodes write it. */
export type TransactionError =
  | string
  | { InstructionError: [number, string | { Custom: number }] }
  | Record<string, { account_index: number }>;

/** The runtime identifies an error by its number, nodes by its name. */
export function toTransactionError(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err() as unknown;
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? 'Unknown';
  if (isInstructionError(error)) {
    const cause = error.err() as unknown;
    if (typeof cause === 'number')
      return { InstructionError: [error.index, INSTRUCTION_ERRORS[cause] ?? 'GenericError'] };
    return {
      InstructionError: [
        error.index,
        typeof (cause as { code?: unknown }).code === 'number'
          ? { Custom: (cause as { code: number }).code }
          : 'BorshIoError',
      ],
    };
  }
  return { InsufficientFundsForRent: { account_index: (error as { accountIndex?: number }).accountIndex ?? 0 } };
}

function isInstructionError(error: unknown): error is { index: number; err(): unknown } {
  return typeof (error as { err?: unknown }).err === 'function';
}

const TRANSACTION_ERRORS = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
];

const INSTRUCTION_ERRORS = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
  'UnbalancedInstruction',
  'ModifiedProgramId',
  'ExternalAccountLamportSpend',
  'ExternalAccountDataModified',
  'ReadonlyLamportChange',
  'ReadonlyDataModified',
  'DuplicateAccountIndex',
  'ExecutableModified',
  'RentEpochModified',
  'NotEnoughAccountKeys',
  'AccountDataSizeChanged',
  'AccountNotExecutable',
  'AccountBorrowFailed',
  'AccountBorrowOutstanding',
  'DuplicateAccountOutOfSync',
  'Custom',
  'InvalidError',
  'ExecutableDataModified',
  'ExecutableLamportChange',
  'ExecutableAccountNotRentExempt',
  'UnsupportedProgramId',
  'CallDepth',
  'MissingAccount',
  'ReentrancyNotAllowed',
  'MaxSeedLengthExceeded',
  'InvalidSeeds',
  'InvalidRealloc',
  'ComputationalBudgetExceeded',
  'PrivilegeEscalation',
  'ProgramEnvironmentSetupFailure',
];
