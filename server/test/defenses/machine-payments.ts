import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const machine = 'server/src/resources/machine-payments';
const live = 'server/test/journeys/machine-payments.test.ts';
const faults = 'server/test/journeys/machine-payments-faults.test.ts';
const offline = 'server/test/api/machine-payments.test.ts';
const authorizations = 'server/test/journeys/authorizations.test.ts';
const page = 'server/test/journeys/page-authorization.test.ts';

/** Defenses of payments that programs make by a signed credential. */
export const MACHINE_PAYMENT_DEFENSES: readonly Defense[] = [
  {
    rule: 'The nonce that the payer signed names the payment before its amount does',
    file: `${settlement}/attribution/attribute.ts`,
    defends: "if (authorization?.type === 'taken') return authorization;",
    without: '',
    test: authorizations,
    named: 'names its payment though the amount is reserved for another one',
  },
  {
    rule: 'A nonce counts only with the payer who signed it',
    file: `${settlement}/attribution/authorization-store.ts`,
    defends: 'nonce = any($3) and payer = $4',
    without: 'nonce = any($3) and $4::text is not null',
    test: authorizations,
    named: 'the same nonce of another payer names nothing',
  },
  {
    rule: 'A credential of x402 is compared with our own offer byte for byte',
    file: `${machine}/read-credential.ts`,
    defends: 'if (!x402.isOffered(credential, offer))',
    without: 'if (Boolean(0))',
    test: live,
    named: 'x402 with a smaller amount in the requirements',
  },
  {
    rule: 'A challenge that we did not give out is refused',
    file: `${machine}/mpp.ts`,
    defends: 'if (challengeId(challenge, secrets) !== challenge.id) return undefined;',
    without: '',
    test: live,
    named: 'with an extended challenge',
  },
  {
    rule: 'A signature moves exactly the amount that is asked for',
    file: `${machine}/evm-proof.ts`,
    defends: 'if (units === amountUnits) return;',
    without: 'return;',
    test: live,
    named: 'x402 with one unit short',
  },
  {
    rule: 'A signature pays the payout wallet and no one else',
    file: `${machine}/evm-proof.ts`,
    defends: 'if (getAddress(to) !== getAddress(payTo))',
    without: 'if (Boolean(0))',
    test: live,
    named: 'x402 with another payee in the signature',
  },
  {
    rule: 'A transaction of a program calls the token that is asked for',
    file: `${machine}/evm-proof.ts`,
    defends: 'if (transfer.token !== getAddress(machine.token))',
    without: 'if (Boolean(0))',
    test: live,
    named: 'a transaction of another token',
  },
  {
    rule: 'The payer that an authorization names has signed it',
    file: `${machine}/evm-proof.ts`,
    defends: 'if (!(await isSignedByPayer(',
    without: 'if (Boolean(0) && !(await isSignedByPayer(',
    test: offline,
    named: 'only by a signature of the payer that it names',
  },
  {
    rule: 'A signature ends before the checkout does',
    file: `${machine}/evm-proof.ts`,
    defends: 'if (validBefore > seconds(latestSignature(offer)) || validBefore > seconds(later(now, MAX_VALID_MS)))',
    without: 'if (Boolean(0))',
    test: live,
    named: 'x402 with a signature for a day',
  },
  {
    rule: 'The nonce of an authorization binds it to its challenge',
    file: `${machine}/evm-proof.ts`,
    defends: "if (credential.protocol === 'mpp' && one.nonce !== challengeNonce(credential.challenge))",
    without: 'if (Boolean(0))',
    test: live,
    named: 'with a foreign nonce',
  },
  {
    rule: 'A credential is stored before anything leaves the process',
    file: `${machine}/pay.ts`,
    defends: '  const inserted = await store(',
    without: `  if (judged.send.type === 'settle') await ctx.facilitators.get('ethereum')?.settle(judged.send, judged.send.requirements);
  const inserted = await store(`,
    test: faults,
    named: 'a credential is stored before anything leaves the process',
  },
  {
    rule: 'A credential that one checkout took is refused by every other',
    file: `${machine}/pay.ts`,
    defends: 'if (stored && stored.paymentId !== payment.id)',
    without: 'if (Boolean(0))',
    test: live,
    named: 'a nonce that was used for one checkout is refused by another',
  },
  {
    rule: 'While a signature may still move money, no other is taken',
    file: `${machine}/pay.ts`,
    defends: 'if (others.some(mayMoveMoney))',
    without: 'if (Boolean(0))',
    test: faults,
    named: 'false_success: nothing is paid',
  },
  {
    rule: 'While a signature may still move money, the payer is not asked again',
    file: `${machine}/door.ts`,
    defends: "if (own?.state === 'open' || (await findCredentialsOf(ctx.db, payment.id)).some(mayMoveMoney))",
    without: "if (own?.state === 'open')",
    test: faults,
    named: 'false_success: nothing is paid',
  },
  {
    rule: 'A credential is void only once no block can carry it out',
    file: `${machine}/resolve.ts`,
    defends: 'if (credential.livemode && (await isVoid(ctx, credential, payment, now))) {',
    without: 'if (credential.livemode) {',
    test: faults,
    named: 'false_success: nothing is paid',
  },
  {
    rule: 'The hash of a transaction that pays another checkout pays nothing',
    file: `${machine}/send.ts`,
    defends: "if (found.length > 0 && isOthers) await endCredential(ctx.db, id, 'void', await ctx.db.now());",
    without: '',
    test: live,
    named: "somebody else's transaction pays nothing",
  },
  {
    rule: 'A signature for a test session is worth nothing where money is',
    file: 'server/src/outside/chains/machine-networks.ts',
    defends: 'livemode ? (settings.chainId ?? CHAIN_IDS[network]) : TEST_CHAIN_IDS[network]',
    without: 'settings.chainId ?? CHAIN_IDS[network]',
    test: offline,
    named: 'an unpaid session answers 402 with a challenge of each protocol',
  },
  {
    rule: "A signature from the checkout page answers this checkout's own challenge",
    file: `${machine}/page-authorization.ts`,
    defends: 'if (mpp.sessionOf(found.challenge, ctx.secrets) !== sessionId)',
    without: 'if (Boolean(0))',
    test: page,
    named: 'a challenge with another end',
  },
  {
    rule: 'While a signature may move money, the checkout page asks for nothing else',
    file: `${machine}/page-authorization.ts`,
    defends: "if (await isAuthorized(ctx, payment)) return { state: 'pending' };",
    without: '',
    test: page,
    named: 'once, however often it is handed in, and nothing else is asked for meanwhile',
  },
];
