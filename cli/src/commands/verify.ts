import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Jwks, type ReceiptClaims, ReceiptVerificationError, verifyReceipt } from '@quittance/sdk';
import { type Command, EXIT, UsageError } from '../command.ts';
import { print, say, type Terminal } from '../terminal.ts';

/** Verifies receipts on this machine: it opens files and no connections. */
export const verify: Command = {
  name: 'verify',
  usage:
    'quittance verify RECEIPT… --jwks FILE --payee ADDRESS [--issuer URL] [--test] [--json]\n\n' +
    'FILE holds the keys of the account: the `jwks_url` of a receipt, at the service that you trust.\n' +
    '--payee: the address that should have been paid; repeat it for several. --issuer: the address of the ' +
    'service that you trust. --test: accept receipts of test mode.\n' +
    'A receipt says what was true when it was signed. POST /v1/receipts/verify says whether it still is.',
  summary: 'Verify signed receipts with the network off.',
  async run(args, terminal) {
    const { values, positionals: files } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        jwks: { type: 'string' },
        payee: { type: 'string', multiple: true },
        issuer: { type: 'string' },
        test: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    if (files.length === 0) throw new UsageError('Which receipt? Give at least one file.');
    if (!values.jwks) throw new UsageError('Give the keys of the service with --jwks FILE.');
    if (!values.payee) throw new UsageError('Give the address that should have been paid with --payee ADDRESS.');
    const payee = values.payee;
    const jwks = readKeys(values.jwks, await readFile(values.jwks, 'utf8'));

    const verified: { file: string; claims: ReceiptClaims }[] = [];
    let failures = 0;
    for (const file of files) {
      const claims = await verifyOne(file, {
        jwks,
        payee,
        allowTestMode: values.test,
        ...(values.issuer && { issuer: values.issuer }),
      });
      if ('claims' in claims) verified.push({ file, claims: claims.claims });
      else {
        failures += 1;
        say(terminal, `${file}: not valid. ${claims.reason}`);
      }
    }
    for (const { file, claims } of verified) {
      if (values.json) print(terminal, JSON.stringify(claims));
      else describe(terminal, file, claims, verified.find((other) => other.claims.supersedes === claims.jti)?.file);
    }
    return failures > 0 ? EXIT.failed : EXIT.ok;
  },
};

async function verifyOne(
  file: string,
  options: Parameters<typeof verifyReceipt>[1],
): Promise<{ claims: ReceiptClaims } | { reason: string }> {
  try {
    return { claims: await verifyReceipt(await readFile(file, 'utf8'), options) };
  } catch (error) {
    if (!(error instanceof ReceiptVerificationError)) throw error;
    return { reason: error.message };
  }
}

function readKeys(file: string, text: string): Jwks {
  try {
    const keys = JSON.parse(text) as Jwks;
    if (Array.isArray(keys.keys)) return keys;
  } catch {
    // The error is printed below.
  }
  throw new UsageError(`${file} does not hold keys. It must be the answer of a receipt’s jwks_url.`);
}

function describe(terminal: Terminal, file: string, claims: ReceiptClaims, replacedBy: string | undefined): void {
  const lines: [string, string | null | undefined][] = [
    ['Signed by', claims.iss],
    ['Signed at', new Date(claims.iat * 1000).toISOString()],
    ['Payment', `${claims.payment}, ${claims.status.replace('_', ' ')}`],
    ['Order', claims.order_id],
    ['Amount', `${claims.amount} ${claims.currency}`],
    ['Received', claims.received && `${claims.received} of ${claims.asset}`],
    ['Payee', claims.payee],
    ['Payer', claims.payer],
    ...claims.transfers.map((transfer): [string, string] => [
      'Transfer',
      `${transfer.amount} in ${transfer.tx_hash ?? 'no known transaction'}, block ` +
        `${transfer.block_number}${transfer.on_chain ? '' : ' (no longer on the chain)'}`,
    ]),
    ...claims.refunds.map((refund): [string, string] => [
      'Refund',
      `${refund.amount} ${claims.currency}${refund.address ? ` to ${refund.address}` : ''}`,
    ]),
    ['Alert', claims.settlement_alert && 'a transfer disappeared from the chain after it was final'],
    ['Replaces', claims.supersedes],
    ['Replaced by', replacedBy],
  ];
  print(terminal, `${clean(file)}: valid${claims.livemode ? '' : ' (TEST MODE: no money moved)'}`);
  for (const [name, value] of lines) if (value) print(terminal, `  ${name.padEnd(12)}${clean(value)}`);
}

/** A receipt of a hostile service must not write escape codes to a terminal. */
function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '');
}
