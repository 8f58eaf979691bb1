import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const claims = 'server/test/api/claims/submit.test.ts';
const wallets = 'server/test/api/claims/contract-and-solana-wallets.test.ts';

/** Claims of customers about their transactions. */
export const CLAIM_DEFENSES: readonly Defense[] = [
  {
    rule: 'A bare hash claims nothing',
    file: `${settlement}/attribution/claim-store.ts`,
    defends: 'and c.signer = seen.sender and',
    without: 'and',
    test: claims,
    named: 'of a stranger takes nothing, whichever comes first',
  },
  {
    rule: 'A transfer that is marked as handled is not attributed again',
    file: `${settlement}/attribution/attribute-transfer.ts`,
    defends: 'attribution !== undefined && !held.handledAt',
    without: 'attribution !== undefined',
    test: 'server/test/api/claims/merchants.test.ts',
    named: 'marked as handled stays unattributed when a reorg moves it',
  },
  {
    rule: 'An unverified claim takes nothing',
    file: `${settlement}/attribution/claim-store.ts`,
    defends: ' and c.verified_at is not null\n             order by c.id',
    without: '\n             order by c.id',
    test: wallets,
    named: 'claims by a signature that two providers confirm',
  },
  {
    rule: 'A contract wallet claims only what its providers confirm',
    file: `${settlement}/attribution/verify-claims.ts`,
    defends: "return (await contractWallets.isSigned(signed, { for: 'claim' }))",
    without: "return (await contractWallets.isSigned(signed, { for: 'claim' })) || true",
    test: wallets,
    named: 'does not claim what its providers do not confirm',
  },
  {
    rule: 'A Solana signature without a sender is compared with the debited account',
    file: `${settlement}/attribution/verify-claims.ts`,
    defends: 'if (await isSignedBy(network, { message, address, signature })) return',
    without: 'if (message) return',
    test: wallets,
    named: 'one that does not is verified against the account that was debited',
  },
  {
    rule: 'A signed envelope counts for the text in it only',
    file: 'server/src/outside/chains/wallet-signature.ts',
    defends: 'ed25519.verify(signature, bytes, key, { zip215: false })',
    without: 'signature && bytes.length > 0',
    test: wallets,
    named: 'a signature of the off-chain envelope claims by the text in it and no other',
  },
  {
    rule: 'No signer replaces the claim of another',
    file: `${settlement}/attribution/claim-store.ts`,
    defends:
      "set due_at = $6\n     where payment_id = $1 and network = $2 and tx_hash = $3 and signer = $4 and signature_sha256 in ('', $5)",
    without:
      'set due_at = $6, signer = $4\n     where payment_id = $1 and network = $2 and tx_hash = $3 and $5::text is not null',
    test: claims,
    named: 'is never replaced by another signer',
  },
  {
    rule: 'A sender with two open payments decides nothing, and no more than two are read',
    file: `${settlement}/attribution/candidate-store.ts`,
    defends: 'and p.id <> one.payment_id limit 1',
    without: 'and false limit 1',
    test: 'server/test/api/transfers/proved-senders.test.ts',
    named: 'a transfer of a sender with forty open checkouts',
  },
  {
    rule: 'A reverted transaction explains only a payment that asks for its amount',
    file: `${settlement}/reading/reverted-store.ts`,
    defends: 'r.payment_id = s.payment_id and r.amount_units = seen.amount_units)',
    without: 'r.payment_id = s.payment_id)',
    test: 'server/test/journeys/reverted.test.ts',
    named: 'of another customer of the same wallet changes nothing',
  },
  {
    rule: 'A reverted transaction with the reference of another checkout explains nothing',
    file: `${settlement}/reading/reverted-store.ts`,
    defends: "or (seen.marks = '' and (",
    without: "or (seen.marks <> '-' and (",
    test: 'server/test/journeys/reverted.test.ts',
    named: 'of another customer of the same wallet changes nothing',
  },
  {
    rule: 'A reverted transaction that only a stranger sent explains nothing',
    file: `${settlement}/reading/reverted-store.ts`,
    defends: '        on s.payment_id = named.payment_id and s.livemode',
    without: '        on s.livemode',
    test: 'server/test/api/settlement/forks.test.ts',
    named: 'or that a stranger sent, does not',
  },
  {
    rule: 'A hint is traced only where the wallet appears in it or has more money after it',
    file: 'server/src/outside/chains/evm/chain.ts',
    defends:
      ' &&\n    (mentionsAny(watched, transaction, receipt) || (await hasBalanceGrown(provider, block, watched)));',
    without: ';',
    test: `${journeys}/evm-native.test.ts`,
    named: 'a transaction from a hint is traced only',
  },
  {
    rule: 'A payment stores eight claims',
    file: `${settlement}/attribution/claim-store.ts`,
    defends: '(count?.ofPayment ?? 0) >= MAX_CLAIMS_PER_PAYMENT',
    without: '(count?.ofPayment ?? 0) >= 1_000',
    test: claims,
    named: 'a checkout stores eight claims',
  },
  {
    rule: 'A signer claims one transaction for eight payments',
    file: `${settlement}/attribution/claim-store.ts`,
    defends: '(count?.ofSigner ?? 0) >= MAX_CLAIMS_PER_SIGNER',
    without: '(count?.ofSigner ?? 0) >= 1_000',
    test: claims,
    named: 'a signer claims one transaction for eight checkouts',
  },
  {
    rule: 'A checkout points at ten transactions',
    file: `${settlement}/attribution/hint-store.ts`,
    defends: '(known?.count ?? 0) >= MAX_HINTS_PER_PAYMENT',
    without: '(known?.count ?? 0) >= 1_000',
    test: claims,
    named: 'a checkout points at ten different transactions',
  },
  {
    rule: 'The signature of a claim has at most 2,048 bytes',
    file: `${settlement}/attribution/claim.ts`,
    defends: 'bytes === undefined || bytes > MAX_SIGNATURE_BYTES',
    without: 'bytes === undefined',
    test: claims,
    named: 'of a named contract wallet beyond 2,048 bytes',
  },
  {
    rule: 'Of the claims of a signer for a transaction eight are read',
    file: `${settlement}/attribution/claim-store.ts`,
    defends: '             limit ${MAX_CLAIMS_PER_SIGNER}) claim',
    without: ') claim',
    test: claims,
    named: 'however many claims of a signer are stored',
  },
  {
    rule: 'Claims are deleted when they expire',
    file: `${settlement}/attribution/claim-store.ts`,
    defends: 'select id from signed_claims where expires_at <= $1 order',
    without: 'select id from signed_claims where expires_at <= $1 and id < 0 order',
    test: claims,
    named: 'of claims and hints nothing is left',
  },
];
