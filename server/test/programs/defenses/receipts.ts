import type { Defense } from './list.ts';

const receipts = 'server/test/api/receipts/issue-and-verify.test.ts';

/** What a verified receipt guarantees. */
export const RECEIPT_DEFENSES: readonly Defense[] = [
  {
    rule: 'A receipt is only issued for final money',
    file: 'server/src/resources/receipts/facts.ts',
    defends: 'if (!hasReceivedMoney(payment) || final.length === 0) return undefined;',
    without: '',
    test: receipts,
    named: 'does not exist before final money',
  },
  {
    rule: 'A receipt never replaces newer facts by older ones',
    file: 'server/src/resources/receipts/receipt-for.ts',
    defends: `    const newest = await findNewestReceipt(ctx.db, id);
    const facts = await readFacts(ctx, { id: accountId, livemode }, id);`,
    without: `    const facts = await readFacts(ctx, { id: accountId, livemode }, id);
    const newest = await findNewestReceipt(ctx.db, id);`,
    test: receipts,
    named: 'never states older facts',
  },
  {
    rule: 'A receipt states the payment and its transfers of one moment',
    file: 'server/src/resources/receipts/receipt-for.ts',
    defends: 'if (canonicalJson(facts ?? null) === canonicalJson(factsAfter ?? null)) return facts;',
    without: 'return facts;',
    test: 'server/test/api/receipts/current.test.ts',
    named: 'a receipt states one moment',
  },
  {
    rule: 'A receipt of a payment that lost its money is not current',
    file: 'server/src/resources/receipts/verify.ts',
    defends: 'return (await receiptFor(ctx, payment))?.id === jti;',
    without: 'return ((await findNewestReceipt(ctx.db, id))?.id ?? jti) === jti;',
    test: 'server/test/api/receipts/current.test.ts',
    named: "once the address's owner took the money back",
  },
  {
    rule: 'A receipt in another encoding of its bytes is not valid',
    file: 'sdk/src/receipts.ts',
    defends: 'return again === text ?',
    without: 'return again.length > 0 ?',
    test: receipts,
    named: 'another spelling of the same bytes',
  },
  {
    rule: 'The service rejects a receipt in another encoding of its bytes',
    file: 'server/src/platform/signing/jws.ts',
    defends: "bytes.length > 0 && bytes.toString('base64url') === text",
    without: 'bytes.length > 0',
    test: receipts,
    named: 'another spelling of the same bytes',
  },
  {
    rule: 'A receipt is valid only with a signature over all of it',
    file: 'sdk/src/receipts.ts',
    defends: 'if (!(await isSignedByOne(keys, signature, signed)))',
    without: 'if (!(await isSignedByOne(keys, signature, signed)) && signature.length !== 64)',
    test: receipts,
    named: 'after any one character was changed',
  },
  {
    rule: 'A receipt of test mode is not believed unless it is allowed',
    file: 'sdk/src/receipts.ts',
    defends: 'if (!claims.livemode && !options.allowTestMode)',
    without: 'if (claims.iat < 0)',
    test: receipts,
    named: 'test mode unless it is allowed',
  },
  {
    rule: 'A retired signing key cannot have signed what is dated later',
    file: 'sdk/src/jwks.ts',
    defends: '(key.exp === undefined || atSeconds <= key.exp + RETIRED_TOLERANCE_SECONDS)',
    without: 'RETIRED_TOLERANCE_SECONDS > 0',
    test: 'server/test/api/receipts/signing-keys.test.ts',
    named: 'that was retired cannot have signed',
  },
  {
    rule: 'A webhook verified by public key is verified over endpoint, id, time and body',
    file: 'sdk/src/webhooks.ts',
    defends: 'if (!(await isSignedByOne(keys, fromHex(hex), signedBytes(`${wanted}.${id}.${seconds}`, body)))) {',
    without: 'if (keys.length === 0) {',
    test: 'server/test/journeys/webhooks/asymmetric.test.ts',
    named: 'a changed body, id or time',
  },
  {
    rule: 'A sample is never handled as an event',
    file: 'sdk/src/webhooks.ts',
    defends: 'if (event.sample && !options.acceptSamples) {',
    without: 'if (event.sample && options.acceptSamples) {',
    test: 'server/test/journeys/webhooks/audience.test.ts',
    named: 'a sample says so in both modes',
  },
  {
    rule: 'Each account and mode signs with its own key',
    file: 'server/src/platform/signing/signing-key-store.ts',
    defends: 'from account_signing_keys where account_id = $1 and livemode = $2 and retired_at is null`,',
    without:
      'from account_signing_keys where $1::text is not null and $2::boolean is not null and retired_at is null`,',
    test: 'server/test/journeys/webhooks/audience.test.ts',
    named: 'takes what it was sent',
  },
  {
    rule: 'A receipt is valid only for the payee that is expected',
    file: 'sdk/src/receipts.ts',
    defends: 'if (!payees.some((payee) => isSameAddress(payee, claims.payee)))',
    without: 'if (!claims.payee)',
    test: 'server/test/journeys/webhooks/audience.test.ts',
    named: 'of money to another address is refused',
  },
  {
    rule: 'The service believes a receipt only with a key of the account and mode of its payment',
    file: 'server/src/resources/receipts/verify.ts',
    defends: 'if (owner && (owner.livemode !== claims.livemode || (payment && owner.id !== payment.accountId)))',
    without: 'if (owner?.id === claims.jti)',
    test: 'server/test/journeys/webhooks/audience.test.ts',
    named: 'with the keys of its own account only',
  },
];
