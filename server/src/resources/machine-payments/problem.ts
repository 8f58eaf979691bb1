/** The problems of the "Payment" HTTP scheme, with the matching x402 reason. */
const PROBLEMS = {
  'payment-required': { status: 402, title: 'Payment required', x402: 'payment_required' },
  'malformed-credential': { status: 402, title: 'Malformed credential', x402: 'invalid_payload' },
  'invalid-challenge': { status: 402, title: 'Invalid challenge', x402: 'invalid_payment_requirements' },
  'verification-failed': { status: 402, title: 'Verification failed', x402: 'invalid_transaction_state' },
  'payment-insufficient': { status: 402, title: 'Payment insufficient', x402: 'insufficient_funds' },
  'payment-expired': {
    status: 402,
    title: 'Payment expired',
    x402: 'invalid_exact_evm_payload_authorization_valid_before',
  },
  'method-unsupported': { status: 400, title: 'Method unsupported', x402: 'unsupported_scheme' },
  'payment-in-progress': { status: 409, title: 'Another payment is in progress', x402: 'invalid_transaction_state' },
  'checkout-ended': { status: 410, title: 'Checkout ended', x402: 'invalid_transaction_state' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** Why a program did not get the paid resource. A sentence says what was wrong and what is expected. */
export class PaymentProblemError extends Error {
  override readonly name = 'PaymentProblemError';
  readonly code: ProblemCode;
  /** One of x402's own reasons, if it has a more specific one. */
  readonly reason: string;

  constructor(code: ProblemCode, detail: string, reason?: string) {
    super(detail);
    this.code = code;
    this.reason = reason ?? PROBLEMS[code].x402;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }

  /** The body, as `application/problem+json`. */
  present() {
    const { status, title } = PROBLEMS[this.code];
    return { type: `https://paymentauth.org/problems/${this.code}`, title, status, detail: this.message };
  }
}

export function refuse(code: ProblemCode, detail: string, reason?: string): never {
  throw new PaymentProblemError(code, detail, reason);
}
